/** A valid graph that the tree evaluator doesn't run; `operator` says which part of it. */
export class GraphNotSupported extends Error {
  override readonly name = 'GraphNotSupported';
  readonly operator: string;

  constructor(operator: string, reason: string) {
    super(`the model's graph is not supported: ${operator}: ${reason}`);
    this.operator = operator;
  }
}

/** A model file that is broken: truncated, contradictory, or made to harm. */
export class ModelInvalid extends Error {
  override readonly name = 'ModelInvalid';

  constructor(reason: string) {
    super(`the model file is broken: ${reason}`);
  }
}

/** A graph needs ONNX Runtime, whose package is not installed here. */
export class OnnxRuntimeMissing extends Error {
  override readonly name = 'OnnxRuntimeMissing';

  constructor() {
    super(
      'the model is no tree ensemble and needs ONNX Runtime (about 290 MB), which is not installed: run "npm run setup onnx-runtime"',
    );
  }
}
