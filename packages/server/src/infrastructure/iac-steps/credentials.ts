import { GitAccessLost, GitHostNotConfigured, GitHostRefusal, GitHostTrouble } from '../../git/adapter/errors.ts'
import { credentialFor, type OpenParts } from '../../git/code-sources/open.ts'
import { findCodeSource } from '../../git/code-sources/store.ts'
import type { Db } from '../../platform/db/open.ts'
import type { Credentials } from '../adapter/repositories.ts'
import { SourceTrouble } from '../adapter/source-trouble.ts'

const expected = [GitAccessLost, GitHostNotConfigured, GitHostRefusal, GitHostTrouble]

/** Opens code sources with the access that the organization has at the moment of the fetch. */
export const sourceCredentials =
  (db: Db, parts: OpenParts): Credentials =>
  async (organizationId, codeSourceId) => {
    const source = await findCodeSource(db, organizationId, codeSourceId)
    if (!source) throw new SourceTrouble(`There is no code source ${codeSourceId} in this organization.`)
    try {
      return await credentialFor(db, parts, source)
    } catch (error) {
      if (!(error instanceof Error && expected.some((kind) => error instanceof kind))) throw error
      throw new SourceTrouble(`The repository ${source.repoUrl} cannot be read.`, error.message)
    }
  }
