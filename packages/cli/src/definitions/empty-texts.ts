import { memberPath } from '@sluice/server/platform/http/faults'
import { isObject, type Remark } from './defined.ts'

/** Maps with free text values, of which an empty one is valid. */
const maps = new Set(['dockerLabels', 'driverOpts', 'labels', 'options'])

/**
 * Removes empty texts from a definition and lists them. Go tools write `"ipcMode": ""` for an unset member, which AWS
 * rejects. A `value`, such as of a variable or a tag, can be empty.
 */
export function withoutEmptyTexts(value: unknown, path: string): { value: unknown; remarks: Remark[] } {
  const remarks: Remark[] = []
  return { value: visit(value, path), remarks }

  function visit(value: unknown, path: string): unknown {
    if (Array.isArray(value)) return value.map((item, index) => visit(item, `${path}[${index}]`))
    if (!isObject(value)) return value
    const members = Object.entries(value).flatMap(([name, member]) => {
      const at = memberPath(path, name)
      if (member !== '' || name === 'value') return [[name, maps.has(name) ? member : visit(member, at)]]
      remarks.push({ path: at, why: 'it is empty, so it is omitted' })
      return []
    })
    return Object.fromEntries(members)
  }
}
