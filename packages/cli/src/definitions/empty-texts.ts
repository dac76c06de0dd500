import { memberPath } from '@sluice/server/platform/http/faults'
import { isObject, type Remark } from './defined.ts'

/** Their members are free texts, of which an empty one is a value. */
const maps = new Set(['dockerLabels', 'driverOpts', 'labels', 'options'])

/**
 * Returns a definition without its empty texts, and names them: tools written in Go write `"ipcMode": ""` for a member
 * that is not set, and AWS rejects that. A `value`, such as of a variable or a tag, can be empty.
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
      remarks.push({ path: at, why: 'it is empty, and is left out' })
      return []
    })
    return Object.fromEntries(members)
  }
}
