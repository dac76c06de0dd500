import { jsonPathSuffix } from '@sluice/contract/json-path'
import { unregisteredProperties } from '@sluice/server/delivery/module-imports/differences'
import { containersOf, secretRemarks } from '@sluice/server/delivery/module-imports/service-input'
import { withoutNulls } from '@sluice/server/modules/module-versions/config/absent'
import { faultsOf } from '@sluice/server/platform/http/faults'
import { present } from '@sluice/server/platform/present'
import { type TProperties, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { isObject, type Json, type ParseResult, type Remark } from './defined.ts'
import { withoutEmptyTexts } from './empty-texts.ts'
import { imageParts } from './image.ts'

const text = Type.String({ minLength: 1, maxLength: 10_000 })
const maybe = Type.Optional
const open = <T extends TProperties>(members: T) => Type.Object(members, { additionalProperties: true })
const texts = Type.Array(Type.String())
const settings = open({})

/** Schema of the fields that become inputs; others are preserved. */
const Container = open({
  name: text,
  image: maybe(text), // for the released container, --image can replace it
  essential: maybe(Type.Boolean()),
  command: maybe(texts),
  entryPoint: maybe(texts),
  environment: maybe(Type.Array(open({ name: text, value: maybe(Type.String()) }))),
  secrets: maybe(Type.Array(open({ name: text, valueFrom: text }))),
  portMappings: maybe(Type.Array(settings)),
  logConfiguration: maybe(settings),
  healthCheck: maybe(settings),
})

const TaskDefinition = Compile(
  open({
    family: text,
    containerDefinitions: Type.Array(Container, { minItems: 1, maxItems: 100 }),
    cpu: maybe(text),
    memory: maybe(text),
    executionRoleArn: maybe(text),
    taskRoleArn: maybe(text),
    networkMode: maybe(text),
    requiresCompatibilities: maybe(texts),
  }),
)

const Tags = Compile(Type.Array(open({ key: text, value: maybe(Type.String()) })))

/** Task definition, validated as far as it is used. */
export type TaskDefinition = {
  definition: Json
  tags: { key: string; value: string }[]
  path: string
  /** Path of its only container, if outside the task definition. */
  appPath?: string
}

/** Reads a `describe-task-definition` response, a task definition, or a registration file. */
export function readTaskDefinition(value: unknown): ParseResult<TaskDefinition> {
  const { outer, inner, path } = unwrapped(value)
  const { tags = inner.tags, ...around } = outer
  const { value: given, remarks } = withoutEmptyTexts(withoutNulls(inner), path)
  const definition = withTextSizes(given as Json)
  const faults = [
    ...faultsOf(TaskDefinition, definition, path),
    ...(tags === undefined ? [] : faultsOf(Tags, withoutNulls(tags), '$.tags')),
  ]
  if (faults.length > 0) return { faults }
  const known = tags === undefined ? [] : (tags as { key: string; value?: string }[])
  return {
    found: { definition, tags: known.map(({ key, value = '' }) => ({ key, value })), path },
    remarks: [
      ...remarks,
      ...Object.keys(around).map((name) => ({
        path: `$${jsonPathSuffix(name)}`,
        why: 'not part of a task definition',
      })),
      ...Object.keys(definition)
        .filter((name) => name !== 'tags' && unregisteredProperties.has(name))
        .map((name) => ({
          path: `${path}${jsonPathSuffix(name)}`,
          why: 'ECS sets it for each revision',
        })),
      ...known
        .filter(({ key }) => /^(sluice|aws):/.test(key))
        .map(({ key }) => ({ path: '$.tags', why: `${key} is set for each revision` })),
    ],
  }
}

function unwrapped(value: unknown): { outer: Json; inner: Json; path: string } {
  if (!isObject(value)) return { outer: {}, inner: {}, path: '$' }
  const { taskDefinition, ...outer } = value
  return isObject(taskDefinition)
    ? { outer, inner: taskDefinition, path: '$.taskDefinition' }
    : { outer: {}, inner: value, path: '$' }
}

/** Converts numeric sizes to text. Hand-written files may contain numbers. */
function withTextSizes(definition: Json): Json {
  const sizes = ['cpu', 'memory'].filter((name) => typeof definition[name] === 'number')
  return { ...definition, ...Object.fromEntries(sizes.map((name) => [name, String(definition[name])])) }
}

/** Returns errors for sidecar containers without an image, which only the file can contain. */
export function checkSidecarImages(task: TaskDefinition, balancedContainer: string | undefined): string[] {
  const { definition, path } = task
  const { others } = containersOf({ definition, ...present({ balancedContainer }) })
  const all = definition.containerDefinitions as Json[]
  return others
    .filter(({ image }) => image === undefined)
    .map((one) => `${path}.containerDefinitions[${all.indexOf(one)}].image: required, but missing`)
}

/** Returns remarks about the released container. */
export function remarksOnApp(task: TaskDefinition, balancedContainer: string | undefined): Remark[] {
  const { definition, path, appPath } = task
  const { app } = containersOf({ definition, ...present({ balancedContainer }) })
  const all = definition.containerDefinitions as Json[]
  const at = appPath ?? `${path}.containerDefinitions[${all.indexOf(app)}]`
  const reference = app.image === undefined ? '…' : imageParts(String(app.image)).reference
  return [
    {
      path: `${at}.image`,
      why: `the instance stores the repository. A release names the image: sluice deploy … image_ref=${reference}`,
    },
    ...secretRemarks(app).map(({ subject, message }) => ({
      path: `${at}.environment`,
      why: `${subject.replace('environment: ', '')}: ${message}`,
    })),
  ]
}
