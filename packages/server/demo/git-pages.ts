/** Commit as shown on a page. */
export type ShownCommit = { id: string; message: string; author_name: string; committed_date: string }

/** Returns the page of a repository with its latest commits. */
export const repositoryPage = (
  { name, branch, url }: { name: string; branch: string; url: string },
  all: ShownCommit[],
) =>
  pageOf(
    name,
    `<p>The branch <code>${text(branch)}</code> of the repository of this demo.</p>
<ol>${all.map((one) => `<li><a href="${text(`${url}/-/commit/${one.id}`)}">${text(title(one))}</a> ${said(one)}</li>`).join('\n')}</ol>`,
  )

/** Returns the page of a commit with its patch. */
export const commitPage = ({ name, url }: { name: string; url: string }, commit: ShownCommit, patch: string) =>
  pageOf(
    title(commit),
    `<p>${said(commit)} in <a href="${text(url)}">${text(name)}</a></p>
<pre>${text(commit.message)}</pre>
<pre>${patch.trim().split('\n').map(lineOfPatch).join('\n')}</pre>`,
  )

/** Headers of pages, which run and load nothing and cannot be framed. */
export const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
}

const title = ({ message }: ShownCommit): string => message.split('\n')[0] ?? ''

const said = ({ id, author_name: author, committed_date: at }: ShownCommit) =>
  `<small><code>${id.slice(0, 8)}</code> by ${text(author)}, <time>${text(at)}</time></small>`

function lineOfPatch(line: string): string {
  if (/^(\+\+\+|---|diff |index )/.test(line)) return `<b>${text(line)}</b>`
  if (line.startsWith('+')) return `<ins>${text(line)}</ins>`
  return line.startsWith('-') ? `<del>${text(line)}</del>` : text(line)
}

const signs: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const text = (written: string): string => written.replaceAll(/[&<>"]/g, (sign) => signs[sign] ?? sign)

const pageOf = (heading: string, body: string) => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${text(heading)}</title>
<style>
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
pre { overflow-x: auto }
ins { color: light-dark(#0a6b2d, #6fdc8c); text-decoration: none }
del { color: light-dark(#a4161a, #ff8f8f); text-decoration: none }
</style>
<h1>${text(heading)}</h1>
${body}
</html>
`
