import { operations } from '../operation.ts'
import * as aliases from './aliases.ts'
import * as functions from './functions.ts'
import * as provisioned from './provisioned-concurrency.ts'
import * as tags from './tags.ts'
import * as versions from './versions.ts'

/** Simulated operations of Lambda, API version 2015-03-31. */
export const lambdaOperations = operations({
  CreateAlias: aliases.createAlias,
  CreateFunction: functions.createFunction,
  DeleteAlias: aliases.deleteAlias,
  DeleteFunction: functions.deleteFunction,
  DeleteFunctionConcurrency: functions.deleteFunctionConcurrency,
  DeleteProvisionedConcurrencyConfig: provisioned.deleteProvisionedConcurrency,
  GetAlias: aliases.getAlias,
  GetFunction: functions.getFunction,
  GetFunctionCodeSigningConfig: functions.getFunctionCodeSigningConfig,
  GetFunctionConfiguration: functions.getFunctionConfiguration,
  GetProvisionedConcurrencyConfig: provisioned.getProvisionedConcurrency,
  ListAliases: aliases.listAliases,
  ListFunctions: versions.listFunctions,
  ListTags: tags.listTags,
  ListVersionsByFunction: versions.listVersionsByFunction,
  PublishVersion: versions.publishVersion,
  PutFunctionConcurrency: functions.putFunctionConcurrency,
  PutProvisionedConcurrencyConfig: provisioned.putProvisionedConcurrency,
  TagResource: tags.tagResource,
  UntagResource: tags.untagResource,
  UpdateAlias: aliases.updateAlias,
  UpdateFunctionCode: functions.updateFunctionCode,
  UpdateFunctionConfiguration: functions.updateFunctionConfiguration,
})
