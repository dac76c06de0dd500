import { credentialFor, type OpenParts } from '../code-sources/open.ts'
import { findCodeSource } from '../code-sources/store.ts'
import { GitAccessLost, GitHostNotConfigured, GitHostRefusal, GitHostTrouble } from '../git/errors.ts'
import type { Credentials } from '../iac/repositories.ts'
import { SourceTrouble } from '../iac/source-trouble.ts'
import type { Db } from '../platform/db/open.ts'

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
