import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { currentReadme } from '../deploy/checks/aws-readme.ts'

const moduleDirectory = fileURLToPath(new URL('../deploy/aws', import.meta.url))

test('the README of the Terraform module lists its inputs and outputs', async () => {
  await expect(currentReadme(moduleDirectory)).toMatchFileSnapshot(`${moduleDirectory}/README.md`)
})
