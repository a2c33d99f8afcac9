import type { JobError } from '../job/job.ts';

export const CANCELLED: JobError = {
  code: 'cancelled',
  message: 'The batch was cancelled before the job finished. Retry the batch to run the job.',
  location: null,
};

export function deadlineExceeded(hours: number): JobError {
  return {
    code: 'deadline',
    message: `The batch did not finish within ${hours} hours of its start. Send the job again.`,
    location: null,
  };
}

export function waitedTooLong(days: number): JobError {
  return {
    code: 'deadline',
    message: `The batch waited in the queue for ${days} days and was not started. Send the job again.`,
    location: null,
  };
}

export function tooManyLostRuns(runs: number): JobError {
  return {
    code: 'internal',
    message: `The job did not finish, because the batch's run was lost ${runs} times. Send the job again.`,
    location: null,
  };
}
