import type { Row, Table } from './store.ts'

/** Reports whether a text matches a pattern in which `*` stands for any text. */
export function matches(pattern: string, text: string): boolean {
  const [first = '', ...rest] = pattern.split('*')
  if (rest.length === 0) return pattern === text
  const last = rest.pop() ?? ''
  if (!text.startsWith(first)) return false
  let from = first.length
  for (const part of rest) {
    const found = text.indexOf(part, from)
    if (found < 0) return false
    from = found + part.length
  }
  return text.length - last.length >= from && text.endsWith(last)
}

/** Decrements a rule's count and deletes the rule at zero. */
export function useUp<Rule extends Row & { times?: number | undefined }>(table: Table<Rule>, rule: Rule): void {
  if (rule.times === undefined) return
  if (rule.times <= 1) table.remove(rule)
  else table.save(Object.assign(rule, { times: rule.times - 1 }))
}
