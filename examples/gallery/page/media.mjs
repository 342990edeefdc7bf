// Pictures and sound that pages of the gallery work on: from files, the webcam and the microphone, or without them.

const button = (text, onclick) => Object.assign(document.createElement("button"), { type: "button", textContent: text, onclick });
const told = (error) => `${error.name}: ${error.message}`;

function row(panel, ...children) {
  const made = Object.assign(document.createElement("div"), { className: "buttons" });
  made.append(...children);
  panel.hidden = false;
  panel.append(made);
}

/** The photograph, a file, or the webcam. */
export function pictures() {
  const work = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  let [source, video, kept] = [null, null, null];
  let host;

  function stop() {
    for (const track of video?.srcObject?.getTracks() ?? []) track.stop();
    video = null;
    webcam.ariaPressed = "false";
  }

  async function take(blob, what) {
    try {
      const bitmap = await createImageBitmap(blob);
      stop();
      [source, kept] = [bitmap, null];
      host.complain("");
    } catch {
      host.complain(`${what} is no picture that this browser can read: choose a PNG, JPEG or WebP file`);
    }
    host.redraw();
  }

  const photograph = async () => take(await (await fetch("photo.webp")).blob(), "the photograph");
  async function film() {
    if (video) return photograph();
    try {
      const stream = await navigator.mediaDevices.getUserMedia({ video: { width: 640 } });
      video = Object.assign(document.createElement("video"), { srcObject: stream, muted: true, playsInline: true });
      await video.play();
      [source, kept] = [video, null];
      webcam.ariaPressed = "true";
      host.complain("");
    } catch (error) {
      stop();
      host.complain(`There is no webcam to be had (${told(error)}); the picture stays`);
    }
  }
  const webcam = button("Webcam", film);
  webcam.ariaPressed = "false";

  return {
    async start(given) {
      host = given;
      const file = Object.assign(document.createElement("input"), { type: "file", accept: "image/*" });
      file.onchange = () => file.files[0] && take(file.files[0], file.files[0].name);
      const label = Object.assign(document.createElement("label"), { className: "button" });
      label.append("File …", file);
      row(host.panel, button("Photograph", photograph), label, webcam);
      for (const kind of ["dragover", "drop"]) addEventListener(kind, (event) => event.preventDefault());
      addEventListener("drop", ({ dataTransfer }) => dataTransfer.files[0] && take(dataTransfer.files[0], dataTransfer.files[0].name));
      await photograph();
    },
    get live() {
      return Boolean(video);
    },
    /** The middle of the picture, as u8[height, width, 4]; the same array until it changes. */
    picture(width, height) {
      if (kept && !video) return kept;
      Object.assign(work.canvas, { width, height });
      const [w, h] = [source.videoWidth ?? source.width, source.videoHeight ?? source.height];
      const scale = Math.max(width / w, height / h);
      work.drawImage(source, (width - w * scale) / 2, (height - h * scale) * 0.3, w * scale, h * scale);
      kept = new Uint8Array(work.getImageData(0, 0, width, height).data.buffer);
      return kept;
    },
  };
}

/** The microphone, or two chirps and a chord. */
export function sound(rate = 44100) {
  let [context, analyser, played] = [null, null, 0];
  let host;

  async function listen() {
    if (analyser) {
      await context.close();
      analyser = null;
    } else {
      try {
        const stream = await navigator.mediaDevices.getUserMedia({ audio: true });
        context = new AudioContext();
        analyser = new AnalyserNode(context, { fftSize: 2048 });
        context.createMediaStreamSource(stream).connect(analyser);
        host.complain("");
      } catch (error) {
        host.complain(`There is no microphone to be had (${told(error)}); the chirp goes on`);
      }
    }
    microphone.ariaPressed = String(Boolean(analyser));
  }
  const microphone = button("Microphone", listen);
  microphone.ariaPressed = "false";

  /** The generated sound at a time in seconds. */
  function chirp(at) {
    const [slow, fast] = [at % 6, at % 1.5];
    const rising = 0.35 * Math.sin(2 * Math.PI * (120 * slow + 560 * slow * slow));
    const falling = 0.2 * Math.exp(-3 * fast) * Math.sin(2 * Math.PI * (9000 * fast - 2600 * fast * fast));
    const chord = [220, 330, 440, 660].reduce((sum, pitch) => sum + 0.06 * Math.sin(2 * Math.PI * pitch * at), 0);
    return rising + falling + chord * (0.6 + 0.4 * Math.sin(3 * at));
  }

  return {
    async start(given) {
      host = given;
      row(host.panel, microphone);
    },
    get rate() {
      return context && analyser ? context.sampleRate : rate;
    },
    get name() {
      return analyser ? "the microphone" : "a generated chirp";
    },
    /** The last samples that were heard, or the next of the chirp, a sixtieth of a second on. */
    sound(count) {
      if (analyser) {
        const heard = new Float32Array(analyser.fftSize);
        analyser.getFloatTimeDomainData(heard);
        return heard.slice(-count);
      }
      const made = Float32Array.from({ length: count }, (_, k) => chirp(played + k / rate));
      played += 1 / 60;
      return made;
    },
  };
}
