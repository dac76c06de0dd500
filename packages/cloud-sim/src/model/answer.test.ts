import { expect, test } from 'vitest'
import { everyCase } from '../../../../testing/every-case.ts'
import { services } from '../services.ts'
import type { HttpResponse } from '../wire/protocol.ts'
import { deviation } from './answer.ts'

const answered = (body: string, headers: Record<string, string> = {}): HttpResponse => ({ status: 200, headers, body })

function judged(name: string, operation: string, answer: HttpResponse): string | undefined {
  const service = services[name]
  if (!service) throw new Error(`There is no service ${name}.`)
  return deviation(service.model, service.protocol, operation, answer)
}

const cluster = (fields: object) => answered(JSON.stringify({ clusters: [fields] }))
const rules = (inner: string) =>
  answered(`<DescribeRulesResponse><DescribeRulesResult>${inner}</DescribeRulesResult></DescribeRulesResponse>`)
const tags = (of: string) =>
  answered(
    `<DescribeTagsResponse><DescribeTagsResult><TagDescriptions><member>${of}</member></TagDescriptions></DescribeTagsResult></DescribeTagsResponse>`,
  )
const acl = (grant: string) =>
  answered(`<AccessControlPolicy><AccessControlList><Grant>${grant}</Grant></AccessControlList></AccessControlPolicy>`)
const listing = (inner: string) => answered(`<ListBucketResult>${inner}</ListBucketResult>`)

test(
  'a response that follows its model passes',
  everyCase(
    [
      ['ecs', 'DescribeClusters', cluster({ clusterName: 'main', runningTasksCount: 2 })],
      ['elasticloadbalancing', 'DescribeRules', rules('<Rules><member><IsDefault>true</IsDefault></member></Rules>')],
      ['elasticloadbalancing', 'DescribeRules', rules('<Rules/>')],
      ['elasticloadbalancing', 'DescribeTags', tags('<ResourceArn>arn</ResourceArn><Tags/>')],
      ['s3', 'ListObjectsV2', listing('<Contents><Key>a</Key></Contents><Contents><Key>b</Key></Contents>')],
      ['s3', 'DeleteObject', answered('')],
      ['s3', 'GetBucketAcl', acl('<Grantee xsi:type="CanonicalUser"><ID>owner</ID></Grantee>')],
      ['s3', 'GetBucketLocation', answered('<LocationConstraint>eu-west-1</LocationConstraint>')],
    ] as const,
    (service, operation, answer) => {
      expect(judged(service, operation, answer)).toBeUndefined()
    },
  ),
)

test(
  'a response that contradicts its model is found',
  everyCase(
    [
      ['ecs', 'DescribeClusters', cluster({ colour: 'red' }), /there is no clusters\[0\]\.colour/],
      ['ecs', 'DescribeClusters', answered('{"failure":[]}'), /there is no failure/],
      ['ecs', 'DescribeClusters', cluster({ runningTasksCount: '2' }), /clusters: STRING_VALUE can not be converted/],
      ['ecs', 'DescribeServices', answered('{"services":[{"createdAt":"2026-11-20T00:00:00Z"}]}'), /Timestamp/],
      ['sqs', 'SendMessageBatch', answered('{"Successful":[]}'), /Value null at 'failed'/],
      ['elasticloadbalancing', 'DescribeRules', rules('<Rule/>'), /there is no Rule/],
      [
        'elasticloadbalancing',
        'DescribeRules',
        rules('<Rules><IsDefault>true</IsDefault></Rules>'),
        /Rules\.IsDefault/,
      ],
      ['s3', 'ListObjectsV2', listing('<Contents><Key>a</Key><Colour/></Contents>'), /Contents\[0\]\.Colour/],
      ['s3', 'ListObjectsV2', listing('<MaxKeys>many</MaxKeys>'), /converted to an Integer/],
      ['s3', 'GetObject', answered('', { 'last-modified': 'today' }), /converted to a Timestamp/],
    ] as const,
    (service, operation, answer, why) => {
      expect(judged(service, operation, answer)).toMatch(why)
    },
  ),
)
