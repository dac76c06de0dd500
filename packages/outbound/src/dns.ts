import { resolveTxt } from 'node:dns/promises'

/** Returns the TXT records of a name; an empty list if there are none. @throws if the DNS cannot be reached */
export async function findTxtRecords(name: string): Promise<string[]> {
  try {
    const records = await resolveTxt(name)
    return records.map((parts) => parts.join('')) // long texts are split
  } catch (error) {
    if (error instanceof Error && 'code' in error && notFoundCodes.includes(String(error.code))) return []
    throw error
  }
}

const notFoundCodes = ['ENOTFOUND', 'ENODATA']
