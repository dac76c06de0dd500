/** Phrase to avoid, with the term to use instead. */
export type Dialect = {
  phrase: RegExp
  use: string
  /** Whether code may use the phrase: it is a term there, such as `wakeAt`, or has another meaning, such as "refuses". */
  isDocsOnly?: true
}

/**
 * Phrases that the project avoids: the unambiguous entries of docs/glossary.md. `npm run lint:docs` finds them in the
 * documentation, `npm run lint:words` in comments, test titles and names of the code.
 */
export const dialect: readonly Dialect[] = [
  { phrase: /\bcarr(?:y|ies|ied|ying) (?:\w+ )?out\b/i, use: 'execute, run' },
  { phrase: /\bhand(?:s|ed|ing)? (?:\w+ )?(?:out|over)\b/i, use: 'dispatch, assign, pass' },
  { phrase: /\b(?:go|goes|going|went|gone) on\b/i, use: 'continue, proceed, resume' },
  { phrase: /\b(?:go|goes|going|went|turns?|turned) back\b/i, use: 'roll back' },
  { phrase: /\bunder way\b/i, use: 'in progress' },
  { phrase: /\bgiv(?:e|es|ing) way\b/i, use: 'is superseded by' },
  { phrase: /\blet(?:s|ting)? (?:it |them )?go\b/i, use: 'lift (a hold)' },
  { phrase: /\brulings?\b/i, use: 'policy decision' },
  { phrase: /\bripe\b/i, use: 'eligible' },
  { phrase: /\bby (?:itself|themselves)\b/i, use: 'automatically', isDocsOnly: true },
  { phrase: /\bby hand\b/i, use: 'manually' },
  { phrase: /\brights\b/i, use: 'permissions' },
  { phrase: /\bobstacles?\b|\bstands? in the way\b/i, use: 'blocker' },
  { phrase: /\bonward\b/i, use: 'promotion candidates' },
  { phrase: /\boutlook\b/i, use: 'forecast, release preview' },
  { phrase: /\bstandings?\b/i, use: 'state' },
  { phrase: /\bwakes?\b|\bwoken\b|\bwake-ups?\b/i, use: 'reconcile, start', isDocsOnly: true },
  { phrase: /\blends?\b|\blent\b/i, use: 'allocate, grant' },
  { phrase: /\b(?:takes?|took|taken|taking) over\b/i, use: 'acquire, adopt, lease', isDocsOnly: true },
  { phrase: /\bapart from\b/i, use: 'except', isDocsOnly: true },
  { phrase: /\btroubles?\b/i, use: 'error, problem' },
  { phrase: /\bbeaten\b/i, use: 'heartbeat lost' },
  { phrase: /\bleft behind\b/i, use: 'orphaned, leftover', isDocsOnly: true },
  { phrase: /\bsomebody\b|\bwhoever\b|\beverybody\b/i, use: 'the user, an admin: name the role' },
  { phrase: /\bnobody\b/i, use: 'no one: name the role', isDocsOnly: true },
  { phrase: /\bin its own words\b/i, use: 'message' },
  { phrase: /\bbeforehand\b/i, use: 'in advance, before' },
  { phrase: /\bnevertheless\b/i, use: 'anyway, override' },
  { phrase: /\bas it stands\b/i, use: 'current' },
  { phrase: /\bthat which\b|\bthat what\b/i, use: 'name the thing' },
  { phrase: /\brefus(?:e|es|ed|ing|als?)\b/i, use: 'reject; error', isDocsOnly: true },
  { phrase: /\btells?\b|\btold\b|\btelling\b/i, use: 'notify, report, publish, say', isDocsOnly: true },
  { phrase: /\blook(?:s|ed|ing)? (?:at|for|into)\b/i, use: 'poll, observe, detect, check', isDocsOnly: true },
  { phrase: /\bjudg(?:e|es|ed|ing)\b/i, use: 'evaluate' },
  { phrase: /\bset(?:s|ting)? (?:\w+ )?off\b/i, use: 'trigger, start' },
  { phrase: /\bshall\b/i, use: 'must, will', isDocsOnly: true },
]
