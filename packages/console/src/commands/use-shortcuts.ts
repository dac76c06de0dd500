import { useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'
import { focusCommand } from './page-commands.ts'
import { areShortcutsOn, sequenceMs, shortcutOf } from './shortcuts.ts'

/** Elements that receive keys themselves, and dialogs and menus that cover the page. */
const receivers = 'input, textarea, select, [contenteditable=true], [role=textbox], [role=dialog], [role=menu]'

const isForPage = ({ target, ctrlKey, metaKey, altKey, defaultPrevented }: KeyboardEvent): boolean =>
  !(ctrlKey || metaKey || altKey || defaultPrevented) &&
  !(target instanceof Element && target.closest(receivers)) &&
  document.querySelector('[role=dialog]') === null

/** Handles the single-key shortcuts that open pages and focus buttons of the page. */
export function useShortcuts(): void {
  const router = useRouter()
  useEffect(() => {
    let sequenceUntil = 0
    const press = (event: KeyboardEvent) => {
      if (!isForPage(event) || !areShortcutsOn()) return
      const isSequence = event.timeStamp < sequenceUntil
      sequenceUntil = 0
      const target = shortcutOf(event.key, isSequence)
      if (target === undefined) return
      if (target === 'SEQUENCE') sequenceUntil = event.timeStamp + sequenceMs
      else if ('to' in target) router.navigate({ to: target.to })
      else if (!focusCommand(target.command)) return
      event.preventDefault()
    }
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  }, [router])
}
