/** A file that can't be used; the message is for the user. */
export class FileRefused extends Error {
  override readonly name = 'FileRefused';
}
