import { expect, test } from 'vitest'
import { everyCase } from '../../../../testing/every-case.ts'
import { pageCommands } from '../commands/page-commands.ts'
import { formActionLabel, formActions, matchesWords } from './actions.ts'

test(
  'an action is found by the starts of its words and keywords',
  everyCase(
    [
      ['create pro', 'Create project', '', true],
      ['proj cre', 'Create project', '', true],
      ['new project', 'Create project', 'new add', true],
      ['new project', 'Create pipeline', 'new add', false],
      ['ject', 'Create project', '', false],
      ['', 'Create project', '', false],
    ],
    (text, label, keywords, isFound) => expect(matchesWords(text, label, keywords)).toBe(isFound),
  ),
)

test('the palette has more than 25 actions beside pages and records', () => {
  const onPages = Object.values(pageCommands).map(({ label }) => label)
  const labels = new Set([...onPages, ...formActions.map((action) => formActionLabel(action))])
  expect(labels.size).toBeGreaterThanOrEqual(25)
  expect(labels.size, 'no two actions have the same name').toBe(onPages.length)
})
