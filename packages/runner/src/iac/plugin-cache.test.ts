import { access, mkdir, mkdtemp, readFile, readlink, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Command } from '../attempt.ts'
import type { Isolation } from '../isolation/isolation.ts'
import { defaultLimits } from '../isolation/limits.ts'
import { openIsolation } from '../isolation/open.ts'
import { createAttempt } from '../programs/attempt.fixture.ts'
import { createMirror } from './mirror.fixture.ts'
import { createPluginCache, type Plugin, parseLockFile } from './plugin-cache.ts'
import { createToolbox, type Tool } from './tool.ts'

const found = await createToolbox({ path: process.env.PATH ?? '' }).find({ tool: 'iac', version: undefined })
const tool: Tool | undefined = 'path' in found ? found : undefined
const why = tool ? '' : ' [skipped: terraform]'

const fake: Plugin = { source: 'example.com/acme/fake', version: '1.2.3' }
let directory: string
let isolation: Isolation
let cliConfig: string
let installed: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sluice-plugins-'))
  ;({ cliConfig, installed } = await createMirror(directory, fake))
  const limits = { ...defaultLimits, cpus: 1 }
  const url = 'http://127.0.0.1:4600'
  const place = { toolFolders: [join(directory, 'mirror')], endpoints: [], directory: join(directory, 'trials') }
  isolation = await openIsolation({ mode: 'auto', network: 'host', limits, url, ...place })
})
afterAll(() => rm(directory, { recursive: true, force: true }))

/** Returns an attempt of an organization that records the programs that it runs. */
async function attemptOf(organizationId: string, name: string) {
  const attempt = await createAttempt(join(directory, name), isolation)
  const ran: string[] = []
  const runProgram = (program: string, command: Command) => {
    ran.push(program)
    return attempt.runProgram(program, command)
  }
  return { ...attempt, organizationId, runProgram, ran }
}
const how = (of: Tool) => ({ tool: of, env: { TF_CLI_CONFIG_FILE: cliConfig }, readOnly: [cliConfig, of.path] })

describe.skipIf(!tool)(`cached provider plugins${why}`, () => {
  test('are fetched once per organization and reused by its later attempts only', async () => {
    if (!tool) return
    const plugins = createPluginCache(join(directory, 'kept'))
    const first = await attemptOf('org_1', 'first')
    await plugins.fetchMissing(first, how(tool), [fake])
    expect(first.lastLogLines()).toEqual(['Fetching example.com/acme/fake/1.2.3 for this and later steps'])
    expect(await readFile(join(plugins.folderOf('org_1'), installed), 'utf8')).toContain('exit 1')

    const second = await attemptOf('org_1', 'second')
    await plugins.fetchMissing(second, how(tool), [fake])
    expect(second.ran).toEqual([])
    const folder = join(second.directory, 'plugins')
    await plugins.linkInto(folder, 'org_1')
    await plugins.linkInto(folder, 'org_1') // repeated after a crash
    const leaf = join(installed, '..')
    expect(await readlink(join(folder, leaf))).toBe(join(plugins.folderOf('org_1'), leaf))

    const other = await attemptOf('org_2', 'other')
    await plugins.linkInto(join(other.directory, 'plugins'), 'org_2')
    await expect(access(join(other.directory, 'plugins', installed))).rejects.toThrow()
    await plugins.fetchMissing(other, how(tool), [fake])
    expect(other.ran).toEqual(['plugins'])
  })

  test('come from the operator’s mirrors, never from files of a step', async () => {
    if (!tool) return
    const plugins = createPluginCache(join(directory, 'kept'))
    const attempt = await attemptOf('org_3', 'sly')
    const sly = join(attempt.directory, 'terraform.d/plugins/example.com/acme/sly/1.0.0/linux_amd64')
    await mkdir(sly, { recursive: true })
    await writeFile(join(sly, 'terraform-provider-sly_v1.0.0'), 'evil', { mode: 0o755 })
    await plugins.fetchMissing(attempt, { ...how(tool), env: {} }, [
      { source: 'example.com/acme/sly', version: '1.0.0' },
    ])
    expect(attempt.lastLogLines().at(-1)).toMatch(/^Cannot fetch the plugins/)
    await expect(access(join(plugins.folderOf('org_3'), 'example.com'))).rejects.toThrow()
  })
})

test('plugins are parsed from a lock file', () => {
  const lockFile = `# This file is maintained automatically by "terraform init".
provider "registry.terraform.io/hashicorp/aws" {
  version     = "5.100.0"
  constraints = "~> 5.0"
  hashes = [
    "h1:abc=",
  ]
}

provider "example.com:8443/acme/fake" {
  version = "1.0.0-beta1"
}

provider "../../../evil/x/y" {
  version = "1.0.0"
}
`
  expect(parseLockFile(lockFile)).toEqual([
    { source: 'registry.terraform.io/hashicorp/aws', version: '5.100.0' },
    { source: 'example.com:8443/acme/fake', version: '1.0.0-beta1' },
  ])
})
