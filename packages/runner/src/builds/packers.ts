import { hash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { ImageBuildOrder, Packer } from '@sluice/contract/runner-protocol'
import type { Attempt, Command } from '../attempt.ts'
import { StepFailure } from '../failure.ts'
import { ProgramMissing } from '../programs/process.ts'
import { runWithin } from './run-within.ts'

/** How a packer's programs are started, apart from the machine. */
type Starter = readonly string[]

/**
 * Has Nixpacks write a Dockerfile for the folder that is built; what is to be built then, and in which folder. The
 * command line is the tool's own: `nixpacks build --out` ("CLI reference", read 2026-11).
 */
export async function nixpacked(
  attempt: Attempt,
  order: ImageBuildOrder & { packer: Packer },
  cwd: string,
  starter: Starter,
): Promise<{ order: ImageBuildOrder; cwd: string }> {
  const { packer } = order
  await expectTool(attempt, packer)
  const out = join(attempt.folders.apart, 'packed')
  const names = Object.keys(order.arguments)
  const options = [
    ...['build', '--out', out],
    ...names.flatMap((name) => ['--env', name]),
    ...told('--config', packer.configFile),
    ...told('--install-cmd', packer.installCommand),
    ...told('--build-cmd', packer.buildCommand),
    ...told('--start-cmd', packer.startCommand),
    ...packer.nixPackages.map((name) => `--pkgs=${name}`),
    ...packer.aptPackages.map((name) => `--apt=${name}`),
    ...packer.nixLibraries.map((name) => `--libs=${name}`),
  ]
  attempt.log(`Nixpacks looks at ${order.context}.`)
  const command: Command = { argv: ['nixpacks', ...options, order.context], cwd, env: order.arguments }
  await runWithin(attempt, 'nixpacks', command, order.commandSeconds, starter)
  const dockerfile = '.nixpacks/Dockerfile'
  if (!existsSync(join(out, dockerfile))) {
    throw new StepFailure('buildOutputInvalid', 'Nixpacks has written no Dockerfile.')
  }
  return { order: { ...order, dockerfile, context: '.' }, cwd: out }
}

/** Where the frontends of Railpack are, each of the version of the tool. */
const frontendOf = (version: string): string => `ghcr.io/railwayapp/railpack-frontend:v${version}`

/**
 * Has Railpack plan how the folder is built, and BuildKit build it; the file that the image is in. The command lines
 * are those of "Running Railpack in Production" (read 2026-11).
 */
export async function railpacked(
  attempt: Attempt,
  order: ImageBuildOrder & { packer: Packer },
  cwd: string,
  starter: Starter,
): Promise<string> {
  const { packer } = order
  const version = await expectTool(attempt, packer)
  await expectBuildKit(attempt)
  const { apart } = attempt.folders
  // All of them are build secrets: what the image is to have, its own configuration says. The command that installs has
  // no option of its own, and a variable.
  const install = packer.installCommand
  const variables: Record<string, string> = {
    ...order.arguments,
    ...order.secrets,
    ...(install && { RAILPACK_INSTALL_CMD: install }),
  }
  const names = Object.keys(variables).sort()
  const planned = [
    ...['prepare', order.context],
    ...['--plan-out', join(apart, 'railpack-plan.json'), '--info-out', join(apart, 'railpack-info.json')],
    ...names.flatMap((name) => ['--env', name]),
    ...told('--build-cmd', packer.buildCommand),
    ...told('--start-cmd', packer.startCommand),
  ]
  attempt.log(`Railpack looks at ${order.context}.`)
  const plan: Command = { argv: ['railpack', ...planned], cwd, env: variables }
  await runWithin(attempt, 'railpack', plan, order.commandSeconds, starter)

  const image = join(apart, 'image.tar')
  const hashed = names.map((name) => `${name}=${variables[name]}\n`).join('')
  const built = [
    ...['build', '--progress', 'plain', '--frontend', 'gateway.v0', '--opt', `source=${frontendOf(version)}`],
    ...[
      '--local',
      `context=${order.context}`,
      '--local',
      `dockerfile=${apart}`,
      '--opt',
      'filename=railpack-plan.json',
    ],
    ...(names.length > 0 ? ['--opt', `build-arg:secrets-hash=${hash('sha256', hashed, 'hex')}`] : []),
    ...names.flatMap((name) => ['--secret', `id=${name},env=${name}`]),
    ...['--output', `type=oci,dest=${image}`],
  ]
  const build: Command = { argv: ['buildctl', ...built], cwd, env: { ...variables, ...buildKitHost() } }
  await runWithin(attempt, 'image', build, order.commandSeconds)
  return image
}

const told = (option: string, value: string | undefined): string[] =>
  value === undefined ? [] : [`${option}=${value}`]

const titles = { nixpacks: 'Nixpacks', railpack: 'Railpack' } as const

/** The version of the tool, where it is there and the one that is wanted. @throws {StepFailure} otherwise */
async function expectTool(attempt: Attempt, { tool, version: wanted }: Packer): Promise<string> {
  const said = await saidBy(attempt, tool, ['--version'])
  const version = said === undefined ? undefined : /\d+\.\d+\.\d+[\w.+-]*/.exec(said)?.[0]
  if (version === undefined)
    throw toolMissing(tool, `The runner cannot build with ${titles[tool]}: ${tool} is not installed.`)
  if (wanted === undefined || wanted.replace(/^v/, '') === version) return version
  throw toolMissing(tool, `The runner has ${titles[tool]} ${version}, and the build block takes ${wanted}.`)
}

async function expectBuildKit(attempt: Attempt): Promise<void> {
  if ((await saidBy(attempt, 'buildctl', ['debug', 'workers'], buildKitHost())) !== undefined) return
  const message = 'The runner cannot build with Railpack: buildctl is not installed, or no buildkitd answers it.'
  throw toolMissing('buildctl', message)
}

/** Where the runner's operator has BuildKit; its own default without. */
const buildKitHost = (): Record<string, string> => {
  const { BUILDKIT_HOST } = process.env
  return BUILDKIT_HOST ? { BUILDKIT_HOST } : {}
}

/** So much is read of what a tool says of itself. Bytes. */
const mostSaid = 65_536

/** Undefined where it is not there, or fails. */
async function saidBy(
  attempt: Attempt,
  program: string,
  args: string[],
  env: Record<string, string> = {},
): Promise<string | undefined> {
  const name = [program, ...args].join(' ')
  try {
    const result = await attempt.process(name, { argv: [program, ...args], env, keepsStdout: true })
    if (!('exitCode' in result) || result.exitCode !== 0) return undefined
  } catch (error) {
    if (error instanceof ProgramMissing) return undefined
    throw error
  }
  const said = await attempt.stdoutOf(name, mostSaid)
  return said && 'content' in said ? said.content.toString() : undefined
}

const toolMissing = (tool: string, message: string): StepFailure =>
  new StepFailure('buildToolMissing', message, {
    description:
      "Install it on a runner of the organization's own where PATH finds it, beside what images take: see Builds in the guide. Railpack takes buildctl as well, and BUILDKIT_HOST where buildkitd does not listen at its usual place.",
    metadata: { tool },
  })
