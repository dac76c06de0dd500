/**
 * Words of the plain-English list that are technical terms here, or that it replaces with longer or less precise words.
 */
export const technicalTerms: readonly string[] = [
  ...['address', 'addressees', 'attempt', 'component', 'contains', 'delete', 'expiration', 'forward', 'function'],
  ...['identical', 'identify', 'implement', 'indicate', 'initial', 'interface', 'maintain', 'maximum', 'minimum'],
  ...['modify', 'monitor', 'multiple', 'option', 'parameters', 'provide', 'request', 'require', 'selection', 'submit'],
  ...[
    'transmit',
    'type',
    'validate',
    'evidence',
    'objective',
    'previous',
    'previously',
    'portion',
    'evaluate',
    'observe',
    'effect',
    'equivalent',
    'operate',
    'notify',
    'combined',
    'remain',
    'proceed',
    'render',
  ],
  // Needed in plain sentences, but removed by the list.
  ...['it is', 'there is', 'there are', 'all of', 'relative to', 'either', 'retain', 'solicit', 'strategize'],
]
