import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { newApiKey } from '@sluice/server/platform/auth/api-key'
import { replaceFile } from '@sluice/server/platform/data-dir/replace-file'

/** What one demo keeps from start to start, so that it can be shown again: a service that is not a demo would not. */
export type DemoFacts = {
  token: string
  password: string
  externalId: string
  eventSecret: string
  webhookSecret: string
  /** What pushes to the demo's repository take. */
  gitPassword: string
}

/**
 * Made up at the first start and kept, or at the first one of a version that asks for more; `token` is used for the
 * first one if given. Whoever may read the file may do all that is done with them.
 */
export async function rememberFacts(file: string, token: string | undefined): Promise<DemoFacts> {
  const text = await readFile(file, 'utf8').catch(() => undefined)
  const known: Partial<DemoFacts> = text === undefined ? {} : JSON.parse(text)
  const facts = {
    token: token ?? newApiKey(),
    password: randomBytes(9).toString('base64url'),
    externalId: randomBytes(16).toString('hex'),
    eventSecret: randomBytes(32).toString('base64url'),
    webhookSecret: randomBytes(32).toString('base64url'),
    gitPassword: randomBytes(18).toString('base64url'),
    ...known,
  }
  if (Object.keys(facts).some((name) => !(name in known))) {
    await replaceFile(file, `${JSON.stringify(facts, null, 2)}\n`)
  }
  return facts
}
