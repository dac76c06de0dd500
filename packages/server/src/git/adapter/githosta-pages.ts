import Type, { type TSchema } from 'typebox'
import type { Ask } from './ask.ts'
import { ofPage } from './pages.ts'

/** Returns a function that fetches pages of GitHub lists below a URL. */
export const pagesOfA =
  (ours: Ask, at: string) =>
  async <T extends TSchema>(schema: T, path: string, page: number) => {
    const { headers, body } = await ours(Type.Array(schema), { url: `${at}${ofPage(path, page)}` })
    return { items: body, ...parseLinkHeader(headers) }
  }

export type PageOfA = ReturnType<typeof pagesOfA>

/** Reads the `Link` header: whether there is a next page, and the number of the last page. */
export function parseLinkHeader(headers: Headers): { hasNext: boolean; lastPage: number | undefined } {
  const link = headers.get('link') ?? ''
  return { hasNext: link.includes('rel="next"'), lastPage: lastPageIn(link) }
}

/** Returns the page number in a `Link` header such as `<https://…&page=50>; rel="last"`. */
function lastPageIn(link: string): number | undefined {
  const [, page] = /[?&]page=(\d+)[^>]*>; rel="last"/.exec(link) ?? []
  return page === undefined ? undefined : Number(page)
}
