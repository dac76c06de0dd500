import { execFile } from 'node:child_process'
import { access, constants, readdir, realpath, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import type { RunnerTools } from '@sluice/contract/runner-protocol'
import { compare, satisfies, valid, validRange } from 'semver'

/** A program of the iac tool that is on this machine. */
export type Tool = { name: ToolName; version: string; path: string }
type ToolName = 'tofu' | 'terraform'

/** Which program a step asks for. */
export type ToolWish = { tool: string; version: string | undefined }

/** Why there is none, and where to get it. */
export type MissingTool = { reason: string; remedy: string; url: string }

export type Toolbox = {
  find(wish: ToolWish): Promise<Tool | MissingTool>
  /** What there is, for those who choose a version. */
  versions(): Promise<RunnerTools>
}

const names: Record<string, readonly ToolName[]> = {
  iac: ['tofu', 'terraform'],
  iac_alt: ['terraform'],
  opentofu: ['tofu'],
  terraform: ['terraform'],
}
const titles: Record<ToolName, { title: string; url: string }> = {
  tofu: { title: 'OpenTofu', url: 'https://opentofu.org/docs/intro/install/' },
  terraform: { title: 'Terraform', url: 'https://developer.hashicorp.com/terraform/install' },
}

const run = promisify(execFile)

/**
 * The programs that are on the PATH, and those in `toolsDir` at `<tool>/<version>/<tool>`. Nothing is ever downloaded:
 * what runs with the credentials of an organization is for the operator to choose.
 */
export function createToolbox({ toolsDir, path }: { toolsDir?: string | undefined; path: string }): Toolbox {
  const versions = new Map<string, Promise<string | undefined>>()

  /** A program is asked for its version once, and again when it was replaced. */
  async function versionOf(file: string): Promise<string | undefined> {
    const key = `${file} ${(await stat(file)).mtimeMs}`
    const known = versions.get(key) ?? askVersion(file)
    versions.set(key, known)
    return known
  }

  async function onPath(name: ToolName): Promise<Tool[]> {
    for (const directory of path.split(delimiter)) {
      const file = join(directory, name)
      if (!(await isProgram(file))) continue
      const version = await versionOf(file)
      if (version !== undefined) return [{ name, version, path: file }]
    }
    return []
  }

  async function inToolsDir(name: ToolName): Promise<Tool[]> {
    if (toolsDir === undefined) return []
    const found = await readdir(join(toolsDir, name)).catch(() => [])
    const tools = found.map((version) => ({ name, version, path: join(toolsDir, name, version, name) }))
    const areThere = await Promise.all(tools.map(async (tool) => valid(tool.version) && (await isProgram(tool.path))))
    return tools.filter((_, index) => areThere[index]).sort((a, b) => compare(b.version, a.version))
  }

  const versionsThere = async (name: ToolName) => [
    ...new Set([...(await onPath(name)), ...(await inToolsDir(name))].map(({ version }) => version)),
  ]

  return {
    async versions() {
      const [tofu, terraform] = [await versionsThere('tofu'), await versionsThere('terraform')]
      return { iac: tofu.length > 0 ? tofu : terraform, iac_alt: terraform }
    },

    async find({ tool, version }) {
      const wanted = names[tool]
      if (!wanted) return missing('tofu', `There is no tool ${tool}: it is one of ${Object.keys(names).join(', ')}.`)
      const range = version?.replaceAll(',', ' ')
      const [first = 'tofu'] = wanted
      if (range !== undefined && validRange(range) === null) {
        return missing(first, `${version} is no version: it is one such as 1.11.4, or a range such as ~1.11.`)
      }
      for (const name of wanted) {
        const found = [...(await onPath(name)), ...(await inToolsDir(name))]
        const fitting = found.find((one) => range === undefined || satisfies(one.version, range))
        if (fitting) return fitting
        if (found.length > 0 && wanted.length === 1) {
          const there = found.map((one) => one.version).join(', ')
          return missing(name, `This runner has ${titles[name].title} ${there}, not ${version}.`)
        }
      }
      const asked = wanted.map((name) => titles[name].title).join(' nor ')
      const wish = version === undefined ? '' : ` of the version ${version}`
      return missing(first, `This runner has ${wanted.length > 1 ? 'neither' : 'no'} ${asked}${wish}.`)
    },
  }
}

/** Whether `init` can report in JSON: Terraform from this version on, and no version of OpenTofu that we know. */
export const reportsInitInJson = (tool: Tool): boolean => isSince(tool, { terraform: '1.9' })

/** Whether the tool has ephemeral variables. Earlier versions reject values beside a saved plan. */
export const hasEphemeralVariables = (tool: Tool): boolean => isSince(tool, { terraform: '1.10', tofu: '1.11' })

const isSince = ({ name, version }: Tool, since: Partial<Record<ToolName, string>>): boolean =>
  since[name] !== undefined && satisfies(version, `>=${since[name]}`, { includePrerelease: true })

const missing = (name: ToolName, reason: string): MissingTool => ({
  reason,
  remedy: `Install ${titles[name].title} on the runner so that \`${name}\` is on its PATH, or put it into SLUICE_IAC_TOOLS_DIR as ${name}/<version>/${name}.`,
  url: titles[name].url,
})

async function isProgram(file: string): Promise<boolean> {
  try {
    await access(await realpath(file), constants.X_OK)
    return (await stat(file)).isFile()
  } catch {
    return false
  }
}

/** Undefined for a program of this name that is something else. */
async function askVersion(file: string): Promise<string | undefined> {
  try {
    const env = { PATH: process.env.PATH ?? '', HOME: tmpdir(), CHECKPOINT_DISABLE: '1' }
    // A start takes tenths of a second; ten seconds are for a machine that is busy.
    const { stdout } = await run(file, ['version', '-json'], { env, cwd: tmpdir(), timeout: 10_000 })
    const { terraform_version: version } = JSON.parse(stdout) as { terraform_version?: string }
    return valid(version) ?? undefined
  } catch {
    return undefined
  }
}
