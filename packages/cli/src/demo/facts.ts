import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { newApiKey } from '@sluice/server/platform/auth/api-key'
import { replaceFile } from '@sluice/server/platform/data-dir/replace-file'

/** Secrets of a demo, stored so that the welcome message can repeat them. Only the demo stores them like this. */
export type DemoSecrets = {
  token: string
  password: string
  externalId: string
  eventSecret: string
  webhookSecret: string
  /** Password for pushing to the demo's repository. */
  gitPassword: string
}

/**
 * Returns the demo's secrets, generating missing ones and storing them. `token` is used on the first start. Anyone who
 * can read the file can use them.
 */
export async function loadDemoSecrets(file: string, token: string | undefined): Promise<DemoSecrets> {
  const text = await readFile(file, 'utf8').catch(() => undefined)
  const known: Partial<DemoSecrets> = text === undefined ? {} : JSON.parse(text)
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
