/** A file may name its reference system in megabytes. */
const MOST_CHARACTERS = 500;

/** A file that can't be used; the message is for the user. */
export class FileRefused extends Error {
  override readonly name = 'FileRefused';

  constructor(message: string, options?: ErrorOptions) {
    super(message.slice(0, MOST_CHARACTERS), options);
  }
}
