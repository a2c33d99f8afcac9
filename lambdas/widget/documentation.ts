/** What CloudWatch shows to editors of the dashboard (`describe: true`). */
export const DOCUMENTATION = `## Live progress

Running batches with their progress, rate, time left and failures; one batch with its jobs,
the patch-batches of one of them, and its last errors. Reads the state table, changes nothing.

### Parameters

| parameter | example | |
|---|---|---|
| \`batch_id\` | \`"0192f0c1-…"\` | a batch to show instead of all running ones |
| \`job_index\` | \`0\` | its job whose patch-batches are drawn; by default a running one |

### Example

\`\`\` yaml
batch_id: 0192f0c1-7b1e-7c3a-9d5e-3f2a1b4c5d6e
\`\`\`
`;
