import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { startWorld, type TestOrganization, type World } from '@sluice/server/testing'
import { mirrorSettings, missingProviderReason } from '@sluice/server/testing/provider-world'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { programFor } from '../testing/command-line.ts'

const docs = join(import.meta.dirname, '../../../../docs')

let world: World
let directory: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sluice-tutorials-'))
  const called = `#!/bin/sh\nexec '${process.execPath}' '${programFor(['deploy'])}' "$@"\n`
  await writeFile(join(directory, 'sluice'), called, { mode: 0o755 })
  world = await startWorld({ env: await mirrorSettings(directory) })
})
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
  await rm(directory, { recursive: true })
})

/** Returns the page's code blocks of a language in order, except those marked as not run. */
const blocksOf = (text: string, language: string): string[] =>
  [...text.matchAll(new RegExp(`(<!-- not run: .+ -->\n)?^\`\`\`${language}\n([^]*?)^\`\`\`$`, 'gm'))].flatMap(
    ([, isNotRun, block = '']) => (isNotRun ? [] : [block]),
  )

/** Placeholders of a page, with their values here. */
type Theirs = [RegExp, string][]

/**
 * Creates a simulated reader who follows a page in a folder of their own. Placeholders such as `hld_…` mean the newest
 * id of that type.
 */
async function readerOf(page: string, accountNumber: string, theirs: Theirs = [], seen: string[] = []) {
  const cwd = join(directory, page)
  await mkdir(cwd, { recursive: true })
  const text = await readFile(join(docs, page), 'utf8')
  const replacements: Theirs = [
    [
      /https:\/\/sluice\.example\.com SLUICE_TOKEN=\S+/g,
      `${world.url} SLUICE_TOKEN=${await world.emptyOrganization()}`,
    ],
    ...theirs,
    [/111122223333/g, accountNumber],
  ]
  const newest = (shown: string, kind: string) =>
    seen.flatMap((text) => text.match(new RegExp(`\\b${kind}_\\w+`, 'g')) ?? []).at(-1) ?? shown
  const asTheirs = (block: string) => replacements.reduce((known, [from, to]) => known.replace(from, to), block)
  const files = blocksOf(text, 'yaml').map(asTheirs)

  return {
    files,
    async write(path: string, content: string): Promise<void> {
      await mkdir(dirname(join(cwd, path)), { recursive: true })
      await writeFile(join(cwd, path), content)
    },
    /** Runs every command of the page. Returns the last output. */
    async follow(): Promise<string> {
      let said = ''
      for (const shown of blocksOf(text, 'sh').map(asTheirs).flatMap(commandsOf)) {
        const block = shown.replaceAll(/\b([a-z]+)_…/g, newest)
        const roleArn = /connectCloudAccount .*roleArn=(\S+)/.exec(block)?.[1]
        if (roleArn) await makeRole(roleArn, said)
        const { code, text: printed } = await shell(cwd, block)
        expect(code, `${block}\n${printed}`).toBe(0)
        said = printed
        seen.push(printed)
      }
      return said
    },
  }
}

/** Splits a block into commands if a later one may need an id that an earlier one prints. */
const commandsOf = (block: string): string[] => (block.includes('_…') ? block.split(/\n(?=(?:curl|sluice) )/) : [block])

/** Creates the role with the external id of the connection link, like the reader. */
async function makeRole(roleArn: string, link: string): Promise<void> {
  // The id may begin with a dash.
  const [, externalId = ''] = /"sts:ExternalId": "([\w-]+)"/.exec(link) ?? expect.fail(`no external id in ${link}`)
  await world.cloud.putRole({ roleArn, externalId })
}

/** Runs a block in a shell with the variables and functions of the previous one. */
async function shell(cwd: string, block: string): Promise<{ code: number; text: string }> {
  const env = { PATH: `${directory}:${process.env.PATH}`, XDG_CONFIG_HOME: cwd, NO_COLOR: '1' }
  const script = `set -eo pipefail; [ ! -e state ] || . ./state\n${block}\n{ declare -p | grep -v '^declare -[a-zA-Z]*r'; declare -f; } > state`
  const child = spawn('bash', ['-c', script], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (text += chunk))
  const [code] = await once(child, 'close')
  return { code, text }
}

test('the tutorial for the first release works, up to an approved canary', async () => {
  const { accountNumber, service } = await world.organization()
  const { input } = await service({ type: 'canary' })
  const images = [{ tags: ['1.0.0', '1.1.0', '1.2.0'], secondsAgo: 60 }]
  await world.cloud.putRepository({ account: accountNumber, region: 'eu-west-1', name: 'hello', images })
  const reader = await readerOf('tutorials/first-release.md', accountNumber, [
    [/arn:aws:ecs:eu-west-1:111122223333:cluster\/shop/g, input.cluster_arn],
    [/arn:aws:ecs:eu-west-1:111122223333:service\/shop\/hello/g, input.service_arn],
    [/arn:aws:elasticloadbalancing:\S+:targetgroup\/hello\/\w+/, input.target_group_arn],
    [/arn:aws:elasticloadbalancing:\S+:targetgroup\/hello-2\/\w+/, input.alternate_target_group_arn],
    [/arn:aws:elasticloadbalancing:\S+:listener-rule\/[\w/]+/, input.production_listener_rule_arn],
    [/arn:aws:iam::111122223333:role\/ecs-execution/, input.execution_role_arn],
    [/arn:aws:iam::111122223333:role\/ecs-load-balancers/, input.infrastructure_role_arn],
  ])
  await reader.write('module.yaml', reader.files[0] ?? '')
  expect(await reader.follow()).toMatch(/COMPLETED +The new version is live\.\nSUCCESS\n$/)
})

describe('the commands of pages about existing resources work', () => {
  let org: TestOrganization
  let there: string[]
  let mine: Theirs
  beforeAll(async () => {
    org = await world.organization()
    const { moduleInstanceId } = await org.service()
    const { id: teamId } = await org.client.done<{ id: string }>('POST', '/teams', { data: { name: 'Payments' } })
    const [environment] = await org.client.done<{ id: string; projectId: string }[]>('GET', '/environments')
    there = [`${environment?.id} ${environment?.projectId} ${moduleInstanceId} ${teamId}`]
    mine = [
      [/--instance shop\b/g, `--instance ${moduleInstanceId}`],
      // Dates that are always in the future.
      [/2026-12/g, '2098-12'],
      [/2027-01/g, '2099-01'],
    ]
  })

  test.each(['how-to/freezes.md', 'how-to/holds.md', 'reference/policies.md', 'reference/roles.md'])(
    '%s',
    async (page) => {
      const reader = await readerOf(page, org.accountNumber, mine, [...there])
      await reader.write('state', stateOf(org.client.token))
      await reader.write('policy.yaml', policy)
      await reader.follow()
    },
  )
})

/** Shell state before the first command; failed requests end the shell. */
const stateOf = (token: string): string => `
export SLUICE_URL=${world.url} SLUICE_TOKEN=${token} TOKEN=${token}
curl() { command curl --silent --show-error --fail-with-body "$@"; }
`

const policy = `
name: Only ours
guards: DEPLOYMENTS
expression: deployment.images.all(image, image.registry == 'registry.example.com')
message: Images come from our registry.
`

test('from an empty account to production: every command of the page, with real infrastructure', {
  timeout: 600_000, // the AWS provider polls a load balancer after a minute
}, async ({ skip }) => {
  skip(missingProviderReason !== undefined, missingProviderReason)
  const account = '222233334444'
  const roleArn = `arn:aws:iam::${account}:role/ecs-load-balancers` // the page creates it with the AWS command line
  await world.cloud.putRole({ roleArn, trustedService: 'ecs.amazonaws.com' })
  const reader = await readerOf('tutorials/tutorial.md', account)
  for (const file of reader.files) await reader.write(/^# (\S+)\n/.exec(file)?.[1] ?? '', file)
  await reader.follow()
  const calls = async (operation: string) => (await world.cloud.calls({ operation, account, accepted: true })).length
  expect(await calls('CreateLoadBalancer')).toBe(2)
  expect(await calls('ContinueServiceDeployment')).toBe(2)
  expect(await calls('DeleteLoadBalancer')).toBe(2)
})
