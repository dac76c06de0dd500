import { appendFileSync } from 'node:fs'
import { relative } from 'node:path'
import type { Reporter, TestCase, TestModule, TestSuite } from 'vitest/node'
import { type RecordLine, titleOf } from './record.ts'

type TestError = { message?: string; name?: string; diff?: string; stack?: string }

/**
 * Prints each failure with its reason at once, and one line per file. Appends every start and end of a test to the file
 * in `TEST_RECORD`, so that a killed suite still shows which tests had run and which were running.
 */
export default class RecordReporter implements Reporter {
  readonly #path = process.env.TEST_RECORD ?? ''

  onTestCaseReady(test: TestCase): void {
    this.#append({ event: 'start', file: fileOf(test.module), name: test.fullName })
  }

  onTestCaseResult(test: TestCase): void {
    const { state, errors } = test.result()
    if (state === 'pending') return
    const ended = { event: 'end', file: fileOf(test.module), name: test.fullName, state } as const
    if (state === 'failed') this.#fail({ ...ended, reason: reasonOf(errors) })
    else this.#append(ended)
  }

  onTestSuiteResult(suite: TestSuite): void {
    this.#reportBroken(fileOf(suite.module), suite.errors())
  }

  onTestModuleEnd(module: TestModule): void {
    const file = fileOf(module)
    this.#reportBroken(file, module.errors())
    const tests = [...module.children.allTests()]
    const failed = tests.filter((test) => test.result().state === 'failed').length
    const seconds = (module.diagnostic().duration / 1_000).toFixed(1)
    console.log(`${module.ok() ? '✓' : '✗'} ${file} (${tests.length} tests, ${failed} failed, ${seconds} s)`)
  }

  onUserConsoleLog({ content }: { content: string }): void {
    process.stdout.write(content)
  }

  onTestRunEnd(_modules: unknown, unhandled: readonly TestError[]): void {
    for (const error of unhandled) this.#fail({ event: 'unhandled', reason: reasonOf([error]) })
  }

  #reportBroken(file: string, errors: readonly TestError[]): void {
    if (errors.length > 0) this.#fail({ event: 'broken', file, reason: reasonOf(errors) })
  }

  #fail(line: RecordLine & { reason?: string }): void {
    const title = line.event === 'unhandled' ? 'an error that no test caught' : titleOf(line as { file: string })
    console.log(`FAILED ${title}\n${(line.reason ?? '').replace(/^/gm, '    ')}`)
    this.#append(line)
  }

  /** Appends synchronously, so that the line is in the file before the process can be killed. */
  #append(line: RecordLine): void {
    if (this.#path !== '') appendFileSync(this.#path, `${JSON.stringify(line)}\n`)
  }
}

const fileOf = ({ moduleId }: TestModule): string => relative(process.cwd(), moduleId)

/** Returns the message, the difference from the expected value, and the place in our code. */
const reasonOf = (errors: readonly TestError[] = []): string =>
  errors
    .map(({ name = 'Error', message = '', diff, stack }) => {
      const frames = (stack ?? '')
        .split('\n')
        .filter((line) => /^\s*(at|❯) /.test(line) && !line.includes('node_modules'))
      return [`${name}: ${message}`, diff, ...frames.slice(0, 3)].filter(Boolean).join('\n')
    })
    .join('\n')
