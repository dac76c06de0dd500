/** A comment of a pull or merge request. */
export type Comment = { id: number; body: string; isOurs: boolean }

/** Where the comments of one request are. */
export type Comments = {
  list(): Promise<Comment[]>
  add(body: string): Promise<unknown>
  change(id: number, body: string): Promise<unknown>
}

/** What there is to say of a release. */
export type News = { what: string; id: string; status: string; url: string; isPaused: boolean; reason?: string }

/**
 * Keeps one comment for what is released: it is found again by a mark that people do not see, in a comment that was
 * written by the same account. Anybody may write the mark.
 */
export async function keepComment(comments: Comments, news: News): Promise<void> {
  const mark = `<!-- sluice ${news.what.replaceAll(/[^\w: -]/g, '_')} -->`
  const body = `${mark}\n${textOf(news)}`
  const known = (await comments.list()).find((one) => one.isOurs && one.body.startsWith(mark))
  if (known === undefined) await comments.add(body)
  else if (known.body !== body) await comments.change(known.id, body)
}

/** In Markdown; texts of others are in a block that they cannot end. */
export function textOf({ what, id, status, url, isPaused, reason }: News): string {
  const waits = isPaused ? '\n\nIt waits for somebody to decide.' : ''
  const why = reason === undefined ? '' : `\n\n~~~~text\n${reason.replaceAll('~', '-').slice(0, 5_000)}\n~~~~`
  return `**Sluice**: ${what} is **${status}** ([${id}](${url}))${waits}${why}`
}
