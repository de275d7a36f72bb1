/**
 * What a run learns of the service by its own updates. It starts from what earlier runs learned. The first update that
 * leaves something out, and each one that leaves out what is unknown, goes alone (a trial), with a reading before and
 * after; the others follow by what it showed.
 *
 *     not confirmed --a value stayed--> confirmed         others go side by side
 *     not confirmed --3 trials without a result--> wary   nothing is left out that is not known and confirmed
 *     a value was reset    -> it is sent from then on, and put back where this run reset it
 *     a value was changed by others -> what was known of the setting is forgotten; the second time, it is sent as read
 */
import type { Update } from '../../model/change.ts';
import type { FieldName } from '../../model/field-table.ts';
import type { Traits } from '../../model/service.ts';
import type { UpdateRule } from '../../model/website.ts';
import { type Knowledge, withKnowledge, withoutKnowledge } from '../../update/knowledge.ts';
import { type Sighting, type UpdateForm, type UpdateView, updateForm } from '../../update/update-form.ts';
import { shareMade } from '../../util/memoize.ts';

const MOST_TRIALS_IN_VAIN = 3;
/** So many forms are remembered to be shared. */
const MOST_SHARED = 10_000;

export interface Learning {
  /** What is known by now. */
  readonly knowledge: Knowledge;
  /** What an update sends, by what is known now. */
  formOf(change: Update, seen: Sighting): UpdateForm;
  /** The same for an update that is not to try anything. */
  safeFormOf(change: Update, seen: Sighting): UpdateForm;
  /** A trial showed these keys (update/knowledge.ts). */
  saw(
    keys: { readonly stays: readonly string[]; readonly reset: readonly string[] },
    confirms: boolean,
  ): void;
  /** A trial did not show what the service does. */
  sawNothing(): void;
  /** Others changed these settings meanwhile. */
  forget(names: readonly FieldName[]): void;
}

export function createLearning(rule: UpdateRule, start: Knowledge, traits: () => Traits): Learning {
  let knowledge = start;
  let confirmed = false;
  let inVain = 0;
  let wary: ReadonlySet<FieldName> = new Set();
  const forgotten = new Set<FieldName>();
  let known: { readonly view: UpdateView; readonly mark: string } | undefined;
  const shared = shareMade<UpdateForm>(MOST_SHARED);

  /** The same object for as long as nothing new is known. */
  function view(): UpdateView {
    const { wireNames, listed, read, readEmpty } = traits();
    const mark = `${listed.size} ${read.size} ${readEmpty.size}`;
    if (known?.mark === mark && known.view.traits.wireNames === wireNames) return known.view;
    const mayLearn = rule !== 'full' && inVain < MOST_TRIALS_IN_VAIN;
    const seen = { wireNames, listed, read, readEmpty };
    known = { mark, view: { rule, knowledge, confirmed, mayLearn, wary, traits: seen } };
    return known.view;
  }

  function next(more: Knowledge): void {
    knowledge = more;
    known = undefined;
  }

  return {
    get knowledge() {
      return knowledge;
    },
    formOf(change, seen) {
      const now = view();
      if (seen.isFresh) return updateForm(change, seen, now);
      const { fields, alongside, kept = fields } = change;
      const secrets = PASSWORD[String(seen.passwordSet)] ?? PASSWORD;
      return shared([now, fields, alongside, kept, secrets, seen.settings], () =>
        updateForm(change, seen, now),
      );
    },
    safeFormOf: (change, seen) => updateForm(change, seen, { ...view(), mayLearn: false }),
    saw(keys, confirms) {
      confirmed ||= confirms;
      next(withKnowledge(knowledge, keys));
    },
    sawNothing() {
      inVain += 1;
      known = undefined;
    },
    forget(names) {
      wary = new Set([...wary, ...names.filter((name) => forgotten.has(name))]);
      for (const name of names) forgotten.add(name);
      next(withoutKnowledge(knowledge, names));
    },
  };
}

/** Stand for whether a password is set, among objects that forms are shared by. */
const PASSWORD: Readonly<Record<string, object>> = { true: {}, false: {}, undefined: {} };
