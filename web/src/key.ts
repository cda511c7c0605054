// The API key form. It is only there once the server has answered 401.
import { apiKey } from './api';
import { byId } from './dom';

const form = byId('key-form', HTMLFormElement);
const field = byId('key', HTMLInputElement);

export function onKey(entered: () => void): void {
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    apiKey.set(field.value.trim());
    entered();
  });
}

export function askForKey(): void {
  const appears = form.hidden;
  form.hidden = false;
  if (appears) field.focus();
  else field.select();
}

export function keyAccepted(): void {
  form.hidden = true;
}
