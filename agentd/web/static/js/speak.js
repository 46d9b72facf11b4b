// Reads answers aloud where the browser has a voice. Off until the person asks for it.

import { locales } from './words.js';

const voice = globalThis.speechSynthesis;
let on = false;

export const canSpeak = Boolean(voice && globalThis.SpeechSynthesisUtterance);
export const speaking = () => on;

export function setSpeaking(value) {
  on = value && canSpeak;
  if (canSpeak) voice.cancel();
}

export function say(text) {
  if (!on || !text) return;
  voice.cancel();
  const words = new SpeechSynthesisUtterance(text);
  words.lang = locales()[0];
  voice.speak(words);
}
