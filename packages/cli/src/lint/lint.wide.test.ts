import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { emptyDirectory, runToCompletion } from '../testing/command-line.ts'

const repository = fileURLToPath(new URL('../../../../', import.meta.url))

const right = 'steps:\n  - { id: build, type: command, with: { shell: make } }\n'
const wrong = 'steps:\n  - { id: build, type: comand }\n'
const code = 'Sluice:PipelineVersions:CONFIG_INVALID'
const message = 'steps[0].type: unknown type comand; did you mean command?'

async function folderOf(files: Record<string, string>): Promise<string> {
  const folder = await emptyDirectory()
  for (const [name, content] of Object.entries(files)) {
    await mkdir(join(folder, name, '..'), { recursive: true })
    await writeFile(join(folder, name), content)
  }
  return folder
}

test('all modules and pipelines of this repository are valid', async () => {
  const { code, stdout, stderr } = await runToCompletion(repository, ['lint', 'packages', 'docs', 'deploy'])
  expect({ code, stdout }).toEqual({ code: 0, stdout: '' })
  // Bundled modules, and those of the demo and of tests.
  expect(stderr).toMatch(/^\d+ modules, \d+ pipelines?: no errors\.\n$/)
  expect(Number.parseInt(stderr, 10)).toBeGreaterThan(8)
})

test('a fault is reported with a clickable position and fails the command', async () => {
  const cwd = await folderOf({ 'wrong.yaml': wrong, 'sub/right.yaml': right, 'compose.yaml': 'services: {}' })
  expect(await runToCompletion(cwd, ['lint', '.'])).toMatchObject({
    code: 1,
    stdout: `wrong.yaml:2:24: error ${code}: ${message}\n`,
    stderr: '2 pipelines: 1 error in 1 file.\n',
  })
  const { stderr } = await runToCompletion(cwd, ['lint', '--verbose', '.'])
  expect(stderr).toContain('compose.yaml: passed over, is neither a module, a pipeline nor a project file.\n')
})

test('unreadable files, and a check of nothing, fail', async () => {
  const cwd = await folderOf({ 'wrong.yaml': wrong, 'none/compose.yaml': 'services: {}' })
  expect(await runToCompletion(cwd, ['lint', 'missing.yaml', 'wrong.yaml'])).toMatchObject({
    code: 2,
    stdout: expect.stringContaining('wrong.yaml:2:24: error'),
    stderr: 'sluice: missing.yaml cannot be read: there is no such file.\n1 pipeline: 1 error in 1 file.\n',
  })
  expect(await runToCompletion(cwd, ['lint', 'none'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('There is no module, pipeline or project file to check'),
  })
  expect(await runToCompletion(cwd, ['lint', 'none/compose.yaml'])).toMatchObject({ code: 1 })
  expect(await runToCompletion(cwd, ['lint'])).toMatchObject({ code: 2 })
  expect(await runToCompletion(cwd, ['lint', '--format', 'xml', 'wrong.yaml'])).toMatchObject({ code: 2 })
})

test.each([
  ['checked as a file that is called -', wrong, { printed: `-:2:24: error ${code}: ${message}\n`, exitCode: 1 }],
  ['nothing to check where it is empty', '\n', { printed: '', exitCode: 2 }],
])('standard input is %s', async (_, input, expected) => {
  const main = join(import.meta.dirname, '..', 'main.js')
  const child = spawn(process.execPath, [main, 'lint', '-'], { env: { PATH: process.env.PATH } })
  child.stdin.end(input)
  const [printed, said, [exitCode]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  expect({ printed, exitCode }).toEqual(expected)
  if (exitCode === 2) expect(said).toContain('- cannot be read: it is empty')
})

test('the JSON format is for programs', async () => {
  const cwd = await folderOf({ 'wrong.yaml': wrong, 'none.yaml': '' })
  const { stdout } = await runToCompletion(cwd, ['lint', '--format', 'json', '.', 'missing.yaml'])
  expect(JSON.parse(stdout)).toEqual({
    checked: [{ file: 'wrong.yaml', kind: 'pipeline' }],
    faults: [{ file: 'wrong.yaml', line: 2, column: 24, code, message }],
    passedOver: [{ file: 'none.yaml', reason: 'is neither a module, a pipeline nor a project file' }],
    unreadable: [{ file: 'missing.yaml', reason: 'there is no such file' }],
  })
})

test('the GitHub format produces annotations in which no text can inject another command', async () => {
  const template = 'steps:\n  - { id: a, type: command, when: "<< inputs.x >>", with: { shell: make } }\n'
  const cwd = await folderOf({ 'a,b:100%/wrong.yaml': template })
  const { stdout, code: exitCode } = await runToCompletion(join(cwd, 'a,b:100%'), [
    'lint',
    '--format',
    'github',
    '../a,b:100%',
  ])
  const properties = 'file=wrong.yaml,line=2,col=45,title=Sluice%3APipelineVersions%3ACONFIG_INVALID'
  const said = 'steps[0].when: inputs has no x; none is available%0A  << inputs.x >>%0A           ^'
  expect(stdout).toBe(`::error ${properties}::${said}\n`)
  expect((await runToCompletion(cwd, ['lint', '--format', 'github', '.'])).stdout).toContain(
    'file=a%2Cb%3A100%25/wrong.yaml,',
  )
  expect(exitCode).toBe(1)
})

test('the SARIF format has relative paths and every rule', async () => {
  const cwd = await folderOf({ 'a b#1/wrong.yaml': wrong, 'twice.yaml': 'steps: []\nsteps: []\n' })
  const { stdout } = await runToCompletion(cwd, ['lint', '--format', 'sarif', '.', 'missing.yaml'])
  const { runs, ...log } = JSON.parse(stdout)
  expect(log).toEqual({ $schema: 'https://json.schemastore.org/sarif-2.1.0.json', version: '2.1.0' })
  const [{ results, tool, invocations, columnKind }] = runs
  expect(columnKind).toBe('utf16CodeUnits')
  const at = (uri: string, startLine: number, startColumn: number) => [
    { physicalLocation: { artifactLocation: { uri }, region: { startLine, startColumn } } },
  ]
  expect(results).toEqual([
    {
      ruleId: code,
      ruleIndex: expect.any(Number),
      level: 'error',
      message: { text: message },
      locations: at('a%20b%231/wrong.yaml', 2, 24),
    },
    {
      ruleId: 'malformed-yaml',
      ruleIndex: expect.any(Number),
      level: 'error',
      message: expect.anything(),
      locations: at('twice.yaml', 2, 1),
    },
  ])
  for (const { ruleId, ruleIndex } of results) expect(tool.driver.rules[ruleIndex].id).toBe(ruleId)
  expect(invocations).toEqual([
    {
      executionSuccessful: false,
      toolExecutionNotifications: [
        {
          level: 'error',
          message: { text: 'The file cannot be read: there is no such file.' },
          locations: [{ physicalLocation: { artifactLocation: { uri: 'missing.yaml' } } }],
        },
      ],
    },
  ])
})

test('a file cannot control the terminal', async () => {
  const cwd = await folderOf({ 'a\u001b[31m.yaml': 'steps: []\n"\\e[2J": 1\n' })
  const { stdout } = await runToCompletion(cwd, ['lint', '.'])
  expect(stdout).toContain('unknown property')
  expect(stdout).not.toContain('\u001b')
})

test('the schema of each type is printed for editors', async () => {
  for (const kind of ['module', 'pipeline', 'project']) {
    const { code, stdout } = await runToCompletion(repository, ['schema', kind])
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ $id: `/schemas/${kind}.json`, type: 'object' })
  }
  expect(await runToCompletion(repository, ['schema', 'stack'])).toMatchObject({ code: 2 })
})
