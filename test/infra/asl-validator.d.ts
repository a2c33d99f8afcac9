/** The package ships no types. */
declare module 'asl-validator' {
  interface Finding {
    readonly 'Error code'?: string;
    readonly Message?: string;
  }
  export default function validate(definition: object): {
    readonly isValid: boolean;
    readonly errors: readonly Finding[];
    readonly errorsText: (separator?: string) => string;
  };
}
