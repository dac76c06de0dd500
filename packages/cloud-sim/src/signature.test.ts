import { ListClustersCommand } from '@aws-sdk/client-ecs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { everyCase } from '../../../testing/every-case.ts'
import { startCloud, type TestCloud } from './testing/cloud.ts'

let cloud: TestCloud
beforeAll(async () => {
  cloud = await startCloud({ isSigned: false })
})
afterAll(() => cloud[Symbol.asyncDispose]())

const target = 'AmazonEC2ContainerServiceV20141113.ListClusters'

async function ask(authorization: string) {
  const headers = { authorization, 'x-amz-target': target }
  const answer = await fetch(cloud.url, { method: 'POST', headers, body: '{}' })
  return { status: answer.status, text: await answer.text() }
}

const credential = (region = 'eu-west-1') => `Credential=AKIA/20260101/${region}/ecs/aws4_request`

test(
  'an unknown signature algorithm is rejected',
  everyCase(
    [
      ['an old algorithm', `AWS4-HMAC-SHA1 ${credential()}`, 'IncompleteSignatureException'],
      ['no algorithm', credential(), 'IncompleteSignatureException'],
      ['a region that there is not', `AWS4-HMAC-SHA256 ${credential('mars-north-1')}`, 'InvalidSignatureException'],
      ['a region without a number', `AWS4-HMAC-SHA256 ${credential('eu-west')}`, 'InvalidSignatureException'],
    ],
    async (_, authorization, code) => {
      expect(await ask(authorization)).toEqual({ status: 400, text: expect.stringContaining(code) })
    },
  ),
)

test('a region of another partition or a future one is accepted', async () => {
  for (const region of ['cn-north-1', 'us-gov-west-1', 'eusc-de-east-1', 'ca-north-9']) {
    expect(await ask(`AWS4-HMAC-SHA256 ${credential(region)}`)).toMatchObject({ status: 200 })
  }
})

test('the signature covers the host', async () => {
  await using signed = await startCloud()
  signed.ecs.middlewareStack.add(
    (next) => (args) => {
      const { headers } = args.request as { headers: Record<string, string> }
      headers.authorization = headers.authorization?.replace(/SignedHeaders=([^,]*)host;?/, 'SignedHeaders=$1') ?? ''
      return next(args)
    },
    { step: 'finalizeRequest', priority: 'low' },
  )
  await expect(signed.ecs.send(new ListClustersCommand())).rejects.toThrow(/must be a 'SignedHeader'/)
})
