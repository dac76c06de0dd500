import { expect, test } from 'vitest'
import { everyCase } from '../../../../../testing/every-case.ts'
import { queueOf } from '../adapter/queue.ts'
import { consoleUrl, homeRegionBeside, homeRegionOf } from './partition.ts'

test(
  'a console URL matches the partition of its region',
  everyCase(
    [
      ['eu-west-1', 'https://eu-west-1.console.aws.amazon.com/ecs/v2'],
      ['us-gov-east-1', 'https://console.amazonaws-us-gov.com/ecs/v2'],
      ['cn-northwest-1', 'https://console.amazonaws.cn/ecs/v2'],
      ['eusc-de-east-1', 'https://eusc-de-east-1.console.amazonaws-eusc.eu/ecs/v2'],
    ],
    (region, url) => {
      expect(consoleUrl(region, 'ecs/v2')).toBe(url)
    },
  ),
)

test(
  'each partition has a region for role checks and host names of its own',
  everyCase(
    [
      ['aws', 'eu-west-1', 'us-east-1', 'amazonaws.com'],
      ['aws-us-gov', 'us-gov-east-1', 'us-gov-west-1', 'amazonaws.com'],
      ['aws-cn', 'cn-northwest-1', 'cn-north-1', 'amazonaws.com.cn'],
      ['aws-eusc', 'eusc-de-east-1', 'eusc-de-east-1', 'amazonaws.eu'],
    ],
    (partition, region, home, domain) => {
      expect(homeRegionOf(`arn:${partition}:iam::123456789012:role/sluice`)).toBe(home)
      expect(homeRegionBeside(region)).toBe(home)
      const { url } = queueOf(`arn:${partition}:sqs:${region}:123456789012:sluice-events`)
      expect(url).toBe(`https://sqs.${region}.${domain}/123456789012/sluice-events`)
    },
  ),
)
