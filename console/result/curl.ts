/**
 * A command that downloads a result under its own name, with the key from the environment. The address
 * lasts as long as the result; it redirects to a signed URL.
 */
export function curlOf(baseUrl: string, batchId: string, jobId: string): string {
  const url = `${baseUrl.replace(/\/$/, '')}/v1/batch/${batchId}/jobs/${jobId}/result`;
  return `curl --fail --location --remote-name --remote-header-name --header "Authorization: Bearer $API_KEY" ${quoted(url)}`;
}

/** For a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
