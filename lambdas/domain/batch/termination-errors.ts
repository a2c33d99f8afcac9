import type { JobError } from '../job/job.ts';

/** What unfinished jobs fail with when their batch is ended before they are. */

export const CANCELLED: JobError = {
  code: 'cancelled',
  message: 'The batch was cancelled before the job was finished. Retry the batch to run it.',
  location: null,
};

export function deadlineExceeded(hours: number): JobError {
  return {
    code: 'deadline',
    message: `The batch was not finished within ${hours} hours, so it was given up. Nothing is wrong with the request: send it again.`,
    location: null,
  };
}

export function tooManyLostRuns(runs: number): JobError {
  return {
    code: 'internal',
    message: `The job did not finish: its run was lost ${runs} times. Nothing is wrong with the request: send it again.`,
    location: null,
  };
}
