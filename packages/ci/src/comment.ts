import type { Host } from './hosts.ts'

/** Comment of a pull or merge request. */
export type Comment = { id: number; body: string; isOurs: boolean }

/** Comments API of one request. */
export type Comments = {
  list(): Promise<Comment[]>
  add(body: string): Promise<unknown>
  change(id: number, body: string): Promise<unknown>
}

/** Content of a comment about a release. */
export type ReleaseNews = { what: string; id: string; status: string; url: string; isPaused: boolean; reason?: string }

/**
 * Creates or updates the comment about one subject. Finds it by a hidden marker in comments of the same account,
 * because anyone can copy the marker. A failure does not fail the job.
 */
export async function updateComment({ comments, show }: Host, about: string, text: string): Promise<void> {
  if (comments === undefined) return
  await upsertComment(comments, about, text).catch((error: unknown) => {
    show(`The comment could not be written: ${error instanceof Error ? error.message : String(error)}`)
  })
}

async function upsertComment(comments: Comments, about: string, text: string): Promise<void> {
  const mark = `<!-- sluice ${about.replaceAll(/[^\w:./ -]/g, '_')} -->`
  const body = `${mark}\n${text}`
  const known = (await comments.list()).find((one) => one.isOurs && one.body.startsWith(mark))
  if (known === undefined) await comments.add(body)
  else if (known.body !== body) await comments.change(known.id, body)
}

/** Formats the content as Markdown. Foreign text is in a code block that it cannot end. */
export function commentOf({ what, id, status, url, isPaused, reason }: ReleaseNews): string {
  const waits = isPaused ? '\n\nIt waits for a decision.' : ''
  const why = reason === undefined ? '' : `\n\n${toCodeBlock(reason)}`
  return `**Sluice**: ${what} is **${status}** ([${id}](${url}))${waits}${why}`
}

/** Returns a text as a code block, with tildes replaced so that the text cannot end it. */
export const toCodeBlock = (text: string): string => `~~~~text\n${text.replaceAll('~', '-').slice(0, 5_000)}\n~~~~`
