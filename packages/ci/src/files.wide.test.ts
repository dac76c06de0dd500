import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import {
  NoOperationTraceWriter,
  parseWorkflow,
  type TemplateParseResult,
  type TraceWriter,
} from '@actions/workflow-parser'
import { parseAction } from '@actions/workflow-parser/actions/action-parser'
import { expect, onTestFinished, test } from 'vitest'
import { parse, stringify } from 'yaml'

const here = join(import.meta.dirname, '..')
const pages = ['ci', 'project-files-in-ci'].map((name) => join(here, `../../docs/how-to/${name}.md`))
const blocks = (await Promise.all(pages.map((page) => readFile(page, 'utf8')))).flatMap((page) =>
  [...page.matchAll(/^```yaml\n([\s\S]*?)^```$/gm)].map(([, text = '']) => text),
)

type Parser = (file: { name: string; content: string }, trace: TraceWriter) => TemplateParseResult

/** Returns the errors of GitHub's own parser. */
const faultsOf = (read: Parser, content: string): string[] =>
  read({ name: 'file.yml', content }, new NoOperationTraceWriter())
    .context.errors.getErrors()
    .map(({ message }) => message)

const actions = [
  { action: 'action.yml', workflow: blocks[0] ?? '' },
  { action: 'project-files/action.yml', workflow: blocks[2] ?? '' },
]

test.each(actions)('$action, and the workflow in the documentation, are valid for GitHub', async (one) => {
  const action = await readFile(join(here, one.action), 'utf8')
  expect(faultsOf(parseAction, action)).toEqual([])
  expect(faultsOf(parseAction, action.replace('  using:', '  usin:'))).not.toEqual([])
  expect(faultsOf(parseWorkflow, one.workflow)).toEqual([])
  expect(faultsOf(parseWorkflow, one.workflow.replace('runs-on:', 'run-on:'))).not.toEqual([])
  const { inputs } = parse(action) as { inputs: Record<string, { required: boolean }> }
  for (const given of givenTo(one.workflow)) {
    expect(Object.keys(inputs)).toEqual(expect.arrayContaining(Object.keys(given)))
  }
})

type Workflow = { jobs: Record<string, { steps: { uses?: string; with?: Record<string, string> }[] }> }

/** Returns the inputs that each step of a workflow passes to the action. */
function givenTo(workflow: string): Record<string, string>[] {
  const steps = Object.values((parse(workflow) as Workflow).jobs).flatMap((job) => job.steps)
  const found = steps.filter(({ uses }) => uses?.startsWith('acme/'))
  expect(found).not.toEqual([])
  return found.map((step) => step.with ?? {})
}

type Job = { image: { name: string }; variables: Record<string, string>; rules?: object[]; resource_group?: string }

const components = [
  { component: 'release', shown: blocks[1] ?? '', jobs: ['release'] },
  { component: 'project-files', shown: blocks[3] ?? '', jobs: ['plan', 'apply', 'check'] },
]

test.each(components)('$component, as the documentation includes it, is valid for GitLab', async (one) => {
  const directory = await mkdtemp(join(tmpdir(), 'sluice-component-'))
  onTestFinished(() => rm(directory, { recursive: true }))
  const { include, ...overridden } = parse(one.shown, { merge: true }) as {
    include: { inputs: Record<string, string> }[]
  }
  const component = await readFile(join(here, `templates/${one.component}.yml`), 'utf8')
  const preview = async (template: string) => {
    await writeFile(join(directory, 'component.yml'), template)
    const included = include.map(({ inputs }) => ({ local: 'component.yml', inputs }))
    await writeFile(join(directory, '.gitlab-ci.yml'), stringify({ include: included, ...overridden }))
    await run(directory, 'git', 'add', '--all') // Git must know included files
    return run(directory, process.execPath, program, '--preview')
  }
  await run(directory, 'git', 'init', '--quiet', '--initial-branch=main')
  await run(directory, 'git', 'remote', 'add', 'origin', 'https://gitlab.example.com/acme/shop.git')
  // `rules:changes` compares with this commit.
  await run(directory, 'git', ...author, 'commit', '--quiet', '--allow-empty', '--message', 'First')
  await run(directory, 'git', 'update-ref', 'refs/remotes/origin/main', 'HEAD')
  const { stdout } = await preview(component)
  const jobs = parse(stdout) as Record<string, Job>
  for (const [index, name] of one.jobs.entries()) {
    const { image, url } = include[index]?.inputs ?? {}
    expect(jobs[name]).toMatchObject({ image: { name: image }, variables: { INPUT_URL: url } })
  }
  await expect(preview(component.replace('id_tokens:', 'id_token:'))).rejects.toThrow(/id_token/)
})

const author = ['-c', 'user.name=ada', '-c', 'user.email=ada@example.com']

const program = join(dirname(createRequire(import.meta.url).resolve('gitlab-ci-local/package.json')), 'dist/index.js')

const run = (cwd: string, file: string, ...words: string[]) =>
  promisify(execFile)(file, words, { cwd, env: { PATH: process.env.PATH, HOME: cwd, NO_COLOR: '1' } })
