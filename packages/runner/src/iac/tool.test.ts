import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { everyCase } from '../../../../testing/every-case.ts'
import { createToolbox } from './tool.ts'

let directory: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sluice-tools-'))
  await program('one/terraform', '1.9.0')
  await program('both/terraform', '1.11.4')
  await program('both/tofu', '1.8.1')
  await program('broken/terraform', undefined)
  for (const version of ['1.5.7', '1.10.5', '1.11.0']) await program(`tools/terraform/${version}/terraform`, version)
})
afterAll(() => rm(directory, { recursive: true, force: true }))

/** Creates a program that answers `version -json` as the tools do. */
async function program(path: string, version: string | undefined): Promise<void> {
  const file = join(directory, path)
  await mkdir(dirname(file), { recursive: true })
  const answer = version === undefined ? 'exit 1' : `echo '{"terraform_version":"${version}"}'`
  await writeFile(file, `#!/bin/sh\n${answer}\n`)
  await chmod(file, 0o755)
}

async function find(place: string, tool: string, version?: string, toolsDir?: string) {
  const toolbox = createToolbox({ path: join(directory, place), toolsDir: toolsDir && join(directory, toolsDir) })
  const found = await toolbox.find({ tool, version })
  return 'path' in found ? `${found.name} ${found.version}` : found.reason
}

test(
  'the requested tool and version are found',
  everyCase(
    [
      ['one', 'iac', undefined, 'terraform 1.9.0'],
      ['both', 'iac', undefined, 'tofu 1.8.1'],
      ['both', 'opentofu', undefined, 'tofu 1.8.1'],
      ['both', 'iac_alt', undefined, 'terraform 1.11.4'],
      ['both', 'terraform', '~1.11', 'terraform 1.11.4'],
      ['both', 'terraform', '>= 1.5, < 2', 'terraform 1.11.4'],
      ['both', 'iac', '1.11.4', 'terraform 1.11.4'],
      ['both', 'terraform', '1.2.3', 'This runner has Terraform 1.11.4, not 1.2.3.'],
      ['one', 'opentofu', undefined, 'This runner has no OpenTofu.'],
      ['none', 'iac', undefined, 'This runner has neither OpenTofu nor Terraform.'],
      ['broken', 'terraform', undefined, 'This runner has no Terraform.'],
      ['one', 'pulumi', undefined, 'Unknown tool pulumi: use one of iac, iac_alt, opentofu, terraform.'],
      ['one', 'iac', 'newest', 'Invalid version newest: use a version such as 1.11.4 or a range such as ~1.11.'],
    ],
    async (place, tool, version, expected) => {
      expect(await find(place, tool, version)).toBe(expected)
    },
  ),
)

test(
  'the available tools and versions are reported',
  everyCase(
    [
      ['one', undefined, { iac: ['1.9.0'], iac_alt: ['1.9.0'] }],
      ['both', undefined, { iac: ['1.8.1'], iac_alt: ['1.11.4'] }],
      [
        'one',
        'tools',
        { iac: ['1.9.0', '1.11.0', '1.10.5', '1.5.7'], iac_alt: ['1.9.0', '1.11.0', '1.10.5', '1.5.7'] },
      ],
      ['none', undefined, { iac: [], iac_alt: [] }],
    ],
    async (place, toolsDir, expected) => {
      const toolbox = createToolbox({ path: join(directory, place), toolsDir: toolsDir && join(directory, toolsDir) })
      expect(await toolbox.versions()).toEqual(expected)
    },
  ),
)

test(
  'a tool is found in the configured directory',
  everyCase(
    [
      ['one', undefined, 'terraform 1.9.0'],
      ['none', undefined, 'terraform 1.11.0'],
      ['one', '1.5.7', 'terraform 1.5.7'],
      ['one', '~1.10', 'terraform 1.10.5'],
    ],
    async (place, version, expected) => {
      expect(await find(place, 'terraform', version, 'tools')).toBe(expected)
    },
  ),
)
