import Type, { type TSchema } from 'typebox'
import type { Ask } from './ask.ts'
import { ofPage } from './pages.ts'

/** Asks for the pages of lists that are below an address of the second host. */
export const pagesOfB =
  (ours: Ask, at: string) =>
  async <T extends TSchema>(schema: T, path: string, page: number) => {
    const { headers, body } = await ours(Type.Array(schema), { url: `${at}${ofPage(path, page)}` })
    // Of very long lists the host counts no pages.
    const lastPage = Number(headers.get('x-total-pages') ?? '') || undefined
    return { items: body, hasNext: (headers.get('x-next-page') ?? '') !== '', lastPage }
  }

export type PageOfB = ReturnType<typeof pagesOfB>
