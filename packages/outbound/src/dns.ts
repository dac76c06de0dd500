import { resolveTxt } from 'node:dns/promises'

/** The texts that a name has in the DNS; none where it has none. Throws where nobody can say. */
export async function findTexts(name: string): Promise<string[]> {
  try {
    const records = await resolveTxt(name)
    return records.map((parts) => parts.join('')) // a long text comes in parts
  } catch (error) {
    if (error instanceof Error && 'code' in error && nothingThere.includes(String(error.code))) return []
    throw error
  }
}

const nothingThere = ['ENOTFOUND', 'ENODATA']
