import type { LinkProps } from '@tanstack/react-router'
import { type PageCommand, pageCommands } from './page-commands.ts'

/** Pages that open with `g` and a second key. */
export const pageShortcuts = [
  { key: 'o', label: 'Go to Overview', to: '/' },
  { key: 'i', label: 'Go to Inbox', to: '/console/inbox' },
  { key: 'e', label: 'Go to Environments', to: '/console/environments' },
  { key: 'd', label: 'Go to Deployments', to: '/console/deployments' },
  { key: 'p', label: 'Go to Pipelines', to: '/console/pipelines' },
  { key: 'a', label: 'Go to Activity', to: '/console/activity' },
  { key: 's', label: 'Go to Settings', to: '/console/settings' },
] as const satisfies readonly { key: string; label: string; to: LinkProps['to'] }[]

/** Commands with a key of their own, in the order of their keys in the overview. */
export const commandShortcuts = (Object.keys(pageCommands) as PageCommand[]).flatMap((command) => {
  const { label, key }: { label: string; key?: string } = pageCommands[command]
  return key === undefined ? [] : [{ command, label, key }]
})

/** Time in milliseconds after which `g` no longer waits for a second key. */
export const sequenceMs = 1_500

export type ShortcutTarget = { to: (typeof pageShortcuts)[number]['to'] } | { command: PageCommand } | 'SEQUENCE'

/** Returns what a key does, also as the second key of a sequence; undefined for other keys. */
export function shortcutOf(key: string, isSequence: boolean): ShortcutTarget | undefined {
  if (isSequence) {
    const page = pageShortcuts.find((one) => one.key === key)
    return page && { to: page.to }
  }
  if (key === 'g') return 'SEQUENCE'
  const found = commandShortcuts.find((one) => one.key === key)
  return found && { command: found.command }
}

const storageKey = 'sluice.shortcuts'

/** Returns whether single keys are shortcuts in this browser. They can interfere with speech input. */
export function areShortcutsOn(): boolean {
  try {
    return localStorage.getItem(storageKey) !== 'off'
  } catch {
    return true
  }
}

export function storeShortcutsOn(isOn: boolean): void {
  try {
    localStorage.setItem(storageKey, isOn ? 'on' : 'off')
  } catch {
    // Without storage, shortcuts are on again after a reload.
  }
}
