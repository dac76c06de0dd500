import Type, { type TSchema } from 'typebox'
import type { Ask } from './ask.ts'
import { ofPage } from './pages.ts'

/** Returns a function that fetches pages of GitLab lists below a URL. */
export const pagesOfGithostb =
  (ours: Ask, at: string) =>
  async <T extends TSchema>(schema: T, path: string, page: number) => {
    const { headers, body } = await ours(Type.Array(schema), { url: `${at}${ofPage(path, page)}` })
    // GitLab omits the page count of very long lists.
    const lastPage = Number(headers.get('x-total-pages') ?? '') || undefined
    return { items: body, hasNext: (headers.get('x-next-page') ?? '') !== '', lastPage }
  }

export type PageOfGithostb = ReturnType<typeof pagesOfGithostb>
