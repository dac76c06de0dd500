/** Event that opens the list of keyboard shortcuts. */
export const keyboardHelpEvent = 'sluice:keyboard-help'

export const openKeyboardHelp = (): unknown => window.dispatchEvent(new Event(keyboardHelpEvent))
