import type { Host } from './hosts.ts'

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
 * Tells the request that the job is about, in one comment for what it is about: it is found again by a mark that people
 * do not see, in a comment that was written by the same account. Anybody may write the mark. A comment that cannot be
 * written fails no job.
 */
export async function tellRequest({ comments, show }: Host, about: string, text: string): Promise<void> {
  if (comments === undefined) return
  await keepComment(comments, about, text).catch((error: unknown) => {
    show(`The comment could not be written: ${error instanceof Error ? error.message : String(error)}`)
  })
}

async function keepComment(comments: Comments, about: string, text: string): Promise<void> {
  const mark = `<!-- sluice ${about.replaceAll(/[^\w:./ -]/g, '_')} -->`
  const body = `${mark}\n${text}`
  const known = (await comments.list()).find((one) => one.isOurs && one.body.startsWith(mark))
  if (known === undefined) await comments.add(body)
  else if (known.body !== body) await comments.change(known.id, body)
}

/** In Markdown; texts of others are in a block that they cannot end. */
export function textOf({ what, id, status, url, isPaused, reason }: News): string {
  const waits = isPaused ? '\n\nIt waits for somebody to decide.' : ''
  const why = reason === undefined ? '' : `\n\n${inBlock(reason)}`
  return `**Sluice**: ${what} is **${status}** ([${id}](${url}))${waits}${why}`
}

/** What went wrong, as it is told; a block of which nothing in it is the end. */
export const inBlock = (text: string): string => `~~~~text\n${text.replaceAll('~', '-').slice(0, 5_000)}\n~~~~`
