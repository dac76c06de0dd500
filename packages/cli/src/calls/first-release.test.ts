import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startWorld, type World } from '@sluice/server/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'

const page = join(import.meta.dirname, '../../../../docs/first-release.md')
const main = join(import.meta.dirname, '..', 'main.ts')

let world: World
let directory: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sluice-first-release-'))
  world = await startWorld()
})
afterAll(async () => {
  await world[Symbol.asyncDispose]()
  await rm(directory, { recursive: true })
})

/** What stands in fences of a language on the page, in order. */
const blocksOf = (text: string, language: string): string[] =>
  [...text.matchAll(new RegExp(`^\`\`\`${language}\n([^]*?)^\`\`\`$`, 'gm'))].map(([, block = '']) => block)

/** One shell after the other, each with the variables and functions of the one before. */
async function shell(block: string, env: Record<string, string>): Promise<{ code: number; text: string }> {
  const script = `set -eo pipefail; [ ! -e state ] || . ./state\n${block}\n{ declare -p | grep -v '^declare -[a-zA-Z]*r'; declare -f; } > state`
  const child = spawn('bash', ['-c', script], { cwd: directory, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (text += chunk))
  const [code] = await once(child, 'close')
  return { code, text }
}

test('every command of the page can be carried out as it stands, up to a canary that was approved', async () => {
  const { accountNumber, service } = await world.organization()
  const { input } = await service({ type: 'canary' })
  const token = await world.emptyOrganization()
  const text = await readFile(page, 'utf8')
  await writeFile(join(directory, 'module.yaml'), blocksOf(text, 'yaml')[0] ?? '')
  await writeFile(join(directory, 'sluice'), `#!/bin/sh\nexec '${process.execPath}' '${main}' "$@"\n`, { mode: 0o755 })
  const env = {
    PATH: `${directory}:${process.env.PATH}`,
    XDG_CONFIG_HOME: directory,
    NO_COLOR: '1',
  }
  // What is the reader's own: the service, and where Sluice is.
  const theirs: [RegExp, string][] = [
    [/https:\/\/sluice\.example\.com SLUICE_TOKEN=\S+/, `${world.url} SLUICE_TOKEN=${token}`],
    [/arn:aws:ecs:eu-west-1:111122223333:cluster\/shop/g, input.cluster_arn],
    [/arn:aws:ecs:eu-west-1:111122223333:service\/shop\/hello/g, input.service_arn],
    [/arn:aws:elasticloadbalancing:\S+:targetgroup\/hello\/\w+/, input.target_group_arn],
    [/arn:aws:elasticloadbalancing:\S+:targetgroup\/hello-2\/\w+/, input.alternate_target_group_arn],
    [/arn:aws:elasticloadbalancing:\S+:listener-rule\/[\w/]+/, input.production_listener_rule_arn],
    [/arn:aws:iam::111122223333:role\/ecs-execution/, input.execution_role_arn],
    [/arn:aws:iam::111122223333:role\/ecs-load-balancers/, input.infrastructure_role_arn],
    [/111122223333/g, accountNumber],
  ]
  let said = ''
  for (const block of blocksOf(text, 'sh')) {
    const role = /connectCloudAccount .*roleArn=(\S+)/.exec(block)?.[1]
    if (role) await makeRole(role.replace('111122223333', accountNumber), said)
    const asTheirs = theirs.reduce((known, [pattern, value]) => known.replace(pattern, value), block)
    const { code, text: printed } = await shell(asTheirs, env)
    expect(code, `${block}\n${printed}`).toBe(0)
    said = printed
  }
  expect(said).toMatch(/COMPLETED +The new version is live\.\nSUCCESS\n$/)
})

/** As the reader makes it, with what the connection link says. */
async function makeRole(roleArn: string, link: string): Promise<void> {
  const externalId = /"?sts:ExternalId"?\W+([\w-]+)/.exec(link)?.[1] ?? ''
  await world.cloud.putRole({ roleArn, externalId })
}
