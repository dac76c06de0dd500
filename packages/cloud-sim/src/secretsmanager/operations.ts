import { operations } from '../operation.ts'
import * as secrets from './secrets.ts'

/** Simulated operations of Secrets Manager, API version 2017-10-17. */
export const secretsOperations = operations({
  CreateSecret: secrets.createSecret,
  DescribeSecret: secrets.describeSecret,
  GetSecretValue: secrets.getSecretValue,
})
