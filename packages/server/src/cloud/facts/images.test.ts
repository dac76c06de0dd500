import { expect, test } from 'vitest'
import { everyCase } from '../../../../../testing/every-case.ts'
import { registryPlace } from './images.ts'

const place = { accountNumber: '123456789012', region: 'eu-west-1', repository: 'shop/web' }

test(
  'the registry of an image is identified',
  everyCase(
    [
      ['123456789012.dkr.ecr.eu-west-1.amazonaws.com/shop/web', place],
      ['123456789012.dkr.ecr.cn-north-1.amazonaws.com.cn/shop/web', { ...place, region: 'cn-north-1' }],
      ['123456789012.dkr.ecr-fips.us-east-1.amazonaws.com/shop/web', { ...place, region: 'us-east-1' }],
      ['123456789012.dkr.ecr.eu-west-1.amazonaws.com/', undefined],
      ['123456789012.dkr.ecr.eu-west-1.amazonaws.com.evil.example/shop/web', undefined],
      ['public.ecr.aws/docker/library/nginx', undefined],
      ['registry.example/shop/web', undefined],
      ['', undefined],
    ],
    (address, expected) => {
      expect(registryPlace(address)).toEqual(expected)
    },
  ),
)
