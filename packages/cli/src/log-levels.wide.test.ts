import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { untilPasses } from '../../../testing/until-passes.ts'
import { preparedDirectory, run } from './testing/command-line.ts'

test('SIGHUP reloads the log levels from the file, unless it is invalid', async () => {
  const directory = await preparedDirectory()
  const write = (text: string) => writeFile(join(directory, 'sluice.config.yaml'), text)
  await write('logFormat: json\nlogLevels: [requests=warn]\n')
  const { child, output } = run(directory, ['serve', '--port', '0'])
  await untilPasses(() => expect(output.text).toMatch(/"url":"http:[^"]+"/))
  const [, url = ''] = /"url":"(http:[^"]+)"/.exec(output.text) ?? []
  const ask = (id: string) => fetch(`${url}/deployments`, { headers: { 'x-request-id': id } })

  await ask('req-unwanted')
  await write('logFormat: json\nlogLevels: [requests=info]\n')
  child.kill('SIGHUP')
  await untilPasses(() => expect(output.text).toContain('are read again'))
  await ask('req-wanted')
  await untilPasses(() => expect(output.text).toContain('req-wanted'))
  expect(output.text).not.toContain('req-unwanted')

  await write('logLevels: [requests=loud]\n')
  child.kill('SIGHUP')
  await untilPasses(() => expect(output.text).toContain('stay as they are'))
  expect(output.text).toContain('logLevels (sluice.config.yaml) is')
  await ask('req-still-wanted')
  await untilPasses(() => expect(output.text).toContain('req-still-wanted'))
})
