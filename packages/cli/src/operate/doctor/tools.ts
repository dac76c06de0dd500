import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describeBuilder, findBuilder } from '@sluice/runner/builds/builder'
import { createToolbox } from '@sluice/runner/iac/tool'
import { openIsolation } from '@sluice/runner/isolation/open'
import { readIsolationSettings } from '@sluice/runner/isolation/settings'
import { requireGitVersion } from '@sluice/runner/sources/git-version'
import type { Config } from '@sluice/server/platform/config/settings'
import { type Finding, finding, ok, warning } from './finding.ts'

/** Checks the tools of an embedded runner and its isolation of steps. */
export async function examineTools(config: Config, env: NodeJS.ProcessEnv): Promise<Finding[]> {
  if (!config.roles.includes('runner')) return []
  return Promise.all([
    finding('git', examineGit),
    finding('infrastructure tool', () => examineIac(config, env)),
    finding('isolation', () => examineIsolation(config, env)),
    finding('images', () => examineImages(config, env)),
  ])
}

async function examineGit() {
  const version = await requireGitVersion()
  return version === undefined
    ? warning('git is not installed: steps that take their files from a repository fail', 'Install git 2.37 or later.')
    : ok(version)
}

async function examineIac({ iacToolsDir }: Config, { PATH = '' }: NodeJS.ProcessEnv) {
  const found = await createToolbox({ toolsDir: iacToolsDir, path: PATH }).find({ tool: 'iac', version: undefined })
  return 'reason' in found
    ? warning(found.reason, `${found.remedy} ${found.url}`)
    : ok(`${found.name} ${found.version}, ${found.path}`)
}

/** Reports whether this runner can build images. Most cannot, which is no problem. */
async function examineImages(config: Config, env: NodeJS.ProcessEnv) {
  return ok(`images are built here: ${describeBuilder(await findBuilder(await isolationOf(config, env)))}`)
}

async function examineIsolation(config: Config, env: NodeJS.ProcessEnv) {
  const { kind, network, notes } = await isolationOf(config, env)
  if (kind === 'bubblewrap' && network === 'own') {
    return ok(['bubblewrap, with a separate network', ...notes].join('; '))
  }
  const says = kind === 'none' ? 'programs of steps are not isolated' : 'programs of steps share the network'
  return warning(
    [says, ...notes].join('; '),
    'Install bubblewrap, slirp4netns and iproute2, or let runners elsewhere carry steps out: docs/reference/runners.md.',
  )
}

async function isolationOf({ host, port, publicUrl, iacToolsDir }: Config, env: NodeJS.ProcessEnv) {
  const directory = await mkdtemp(join(tmpdir(), 'sluice-doctor-'))
  try {
    const url = publicUrl ?? `http://${host}:${port}`
    return await openIsolation(readIsolationSettings(env, { url, directory, toolsDir: iacToolsDir }))
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}
