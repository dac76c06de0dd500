import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { emptyDirectory, runToCompletion } from '../testing/command-line.ts'

// A quick test, which runs the command line from its source; in a bundle, chunks are loaded.
test('no part of the service is loaded: no database, no engine, no cloud', async () => {
  const cwd = await emptyDirectory()
  await writeFile(join(cwd, 'right.yaml'), 'steps:\n  - { id: build, type: command, with: { shell: make } }\n')
  const telling = `import { registerHooks } from 'node:module'
    const loaded = []
    registerHooks({ load: (url, context, next) => { loaded.push(url); return next(url, context) } })
    process.on('exit', () => process.stderr.write(loaded.join('\\n')))`
  const options = `--import data:text/javascript,${encodeURIComponent(telling)}`
  const { code, stderr } = await runToCompletion(cwd, ['lint', 'right.yaml'], { NODE_OPTIONS: options })
  expect(code).toBe(0)
  expect(stderr).toContain('/pipeline-versions/config/faults.ts')
  expect(stderr).not.toMatch(/pglite|node_modules\/(pg|drizzle-orm|fastify|@aws-sdk|@restatedev)\//)
})
