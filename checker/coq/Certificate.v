(* A machine-checked proof that the rules of certificates (docs/proof.md) are sound for the finite
   problem: if [check] accepts a tree of cuts, no choice of cells with the outcome is better than
   the claim.

   Tolls are whole numbers, scores are multiples of a common unit, and the threshold of a condition
   already has its allowance for rounding. A clause is a tree whose leaves score 0: a point takes
   one of them. Which points are better than the claim is left open (costs in doubles, the largest
   change, the fewest changes); the theorem needs that the measure of a box and the tolls are right
   about them. [sums_are_right] shows it for costs that are whole numbers.

   Covered are dead boxes, rule R, rule D, cuts, and the live leaves of a box. Not covered are what
   leads to the finite problem (cells, links, the error of floating-point sums), the rounding of
   scores to whole numbers in rule D, conditions on softmax probabilities, and the two programs that
   check certificates. *)
Require Import List ZArith Lia Bool Arith.
Import ListNotations.
Open Scope Z_scope.

(* ------------------------------------------------------------------ sums and extremes of lists *)

Definition sum {A} (f : A -> Z) (xs : list A) : Z := fold_right (fun x s => f x + s) 0 xs.

Definition least {A} (f : A -> Z) (xs : list A) : Z :=
  match xs with [] => 0 | x :: rest => fold_right (fun y m => Z.min (f y) m) (f x) rest end.

Definition most {A} (f : A -> Z) (xs : list A) : Z := - least (fun x => - f x) xs.

Lemma sum_le {A} (f g : A -> Z) xs :
  (forall x, In x xs -> f x <= g x) -> sum f xs <= sum g xs.
Proof.
  induction xs as [|x xs IH]; simpl; intros H; [lia|].
  assert (f x <= g x) by (apply H; auto).
  assert (sum f xs <= sum g xs) by (apply IH; auto). lia.
Qed.

Lemma sum_plus {A} (f g : A -> Z) xs : sum (fun x => f x + g x) xs = sum f xs + sum g xs.
Proof. induction xs; simpl; lia. Qed.

Lemma sum_minus {A} (f g : A -> Z) xs : sum (fun x => f x - g x) xs = sum f xs - sum g xs.
Proof. induction xs; simpl; lia. Qed.

Lemma sum_times {A} (f : A -> Z) k xs : sum (fun x => k * f x) xs = k * sum f xs.
Proof. induction xs; simpl; lia. Qed.

Lemma sum_swap {A B} (f : A -> B -> Z) xs ys :
  sum (fun x => sum (f x) ys) xs = sum (fun y => sum (fun x => f x y) xs) ys.
Proof.
  induction xs as [|x xs IH]; simpl.
  - induction ys; simpl; lia.
  - rewrite IH, <- sum_plus. reflexivity.
Qed.

Lemma least_le {A} (f : A -> Z) xs x : In x xs -> least f xs <= f x.
Proof.
  destruct xs as [|a xs]; simpl; [tauto|].
  induction xs as [|b xs IH]; simpl; intros [H|H]; subst; try lia; try tauto.
  - specialize (IH (or_introl eq_refl)). lia.
  - destruct H as [H|H]; subst; [lia|]. specialize (IH (or_intror H)). lia.
Qed.

Lemma le_most {A} (f : A -> Z) xs x : In x xs -> f x <= most f xs.
Proof. intros H. unfold most. pose proof (least_le (fun x => - f x) xs x H). simpl in *. lia. Qed.

(* One term of a sum over distinct numbers may be replaced by a larger one. *)
Lemma sum_le_at (f g : nat -> Z) xs t :
  NoDup xs -> In t xs -> (forall x, In x xs -> f x <= g x) ->
  sum f xs - f t + g t <= sum g xs.
Proof.
  induction xs as [|x xs IH]; simpl; intros N I H; [tauto|].
  inversion N; subst. assert (f x <= g x) by (apply H; auto).
  destruct I as [->|I].
  - assert (sum f xs <= sum g xs) by (apply sum_le; auto). lia.
  - specialize (IH H3 I (fun y Hy => H y (or_intror Hy))). lia.
Qed.

(* ------------------------------------------------------------------------- the finite problem *)

Section Certificate.

(* The numbers of variables, trees and requirements; each is a number below its count. *)
Variables variables trees requirements : nat.
Variable toll : nat -> nat -> Z.  (* of a variable's cell *)
Variable limit : Z.               (* of the tolls of a point that is better than the claim *)
Variable threshold : nat -> Z.    (* of a condition *)

Record leaf := { takes : nat -> nat -> bool;  (* of a variable: which cells *)
                 score : nat -> Z }.          (* for a condition *)

Definition box := nat -> list nat.    (* of a variable: its cells *)
Definition live := nat -> list leaf.  (* of a tree *)

Definition all_variables := seq 0 variables.
Definition all_trees := seq 0 trees.
Definition all_requirements := seq 0 requirements.

Definition tolls_of (p : nat -> nat) : Z := sum (fun v => toll v (p v)) all_variables.

(* A point is a cell of each variable; it takes one leaf of each tree. *)
Definition in_box (p : nat -> nat) (b : box) := forall v, In v all_variables -> In (p v) (b v).
Definition in_leaf (p : nat -> nat) (l : leaf) :=
  forall v, In v all_variables -> takes l v (p v) = true.

(* Which points are better than the claim, and which boxes their measure excludes. *)
Variable better : (nat -> nat) -> Prop.
Variable excluded : box -> bool.
Hypothesis measure_is_right : forall b p, excluded b = true -> in_box p b -> ~ better p.
Hypothesis tolls_are_right : forall p, better p -> tolls_of p < limit.

(* Whether the leaves of a point meet a requirement. Whatever that means, such leaves meet all
   conditions of one alternative; and the test of known scores, which looks at one leaf of each tree
   that the requirement is about, is right when it says that they do not. *)
Variable meets : nat -> (nat -> leaf) -> Prop.
Variable alternatives : nat -> list (list nat).
Variable about : nat -> nat -> bool.                (* of a requirement: of a tree *)
Variable certainly_not : nat -> list leaf -> bool.  (* of a requirement *)

Definition holds (chosen : nat -> leaf) c :=
  threshold c <= sum (fun t => score (chosen t) c) all_trees.
Definition trees_of r := filter (about r) all_trees.

Hypothesis needs_an_alternative : forall r chosen, meets r chosen ->
  exists conditions, In conditions (alternatives r) /\ forall c, In c conditions -> holds chosen c.
Hypothesis known_scores : forall r chosen,
  certainly_not r (map chosen (trees_of r)) = true -> ~ meets r chosen.

Definition has_outcome (chosen : nat -> leaf) :=
  forall r, In r all_requirements -> meets r chosen.

(* The conditions of requirements with one alternative; these may have prices. *)
Definition priced_conditions : list nat :=
  flat_map (fun r => match alternatives r with [conditions] => conditions | _ => [] end)
           all_requirements.

(* ---------------------------------------------------------------------------------- the rules *)

Definition meet (b : box) (l : leaf) : box := fun v => filter (takes l v) (b v).

Definition is_empty {A} (xs : list A) : bool := match xs with [] => true | _ => false end.

Definition is_live (b : box) (l : leaf) : bool :=
  negb (existsb (fun v => is_empty (meet b l v)) all_variables) && negb (excluded (meet b l)).

Definition refresh (b : box) (ls : live) : live := fun t => filter (is_live b) (ls t).

Definition dead (b : box) (ls : live) : bool :=
  existsb (fun v => is_empty (b v)) all_variables || excluded b ||
  existsb (fun t => is_empty (ls t)) all_trees.

(* Rule R: every alternative of requirement r has a condition whose threshold the best live leaves
   miss; or each tree has one live leaf, and these certainly do not meet it. *)
Definition fails (ls : live) c : bool :=
  sum (fun t => most (fun l => score l c) (ls t)) all_trees <? threshold c.

Definition single (ls : live) t : bool := match ls t with [_] => true | _ => false end.

Definition refuted (ls : live) (r : nat) : bool :=
  (r <? requirements)%nat &&
  (forallb (existsb (fails ls)) (alternatives r) ||
   (forallb (single ls) (trees_of r) && certainly_not r (flat_map ls (trees_of r)))).

(* Rule D: what a leaf, a variable and the thresholds give, for any prices and shares. *)
Definition leaf_gives (b : box) (prices : nat -> Z) (shares : nat -> nat -> nat -> Z) t l : Z :=
  sum (fun v => least (shares t v) (meet b l v)) all_variables -
  sum (fun c => prices c * score l c) priced_conditions.

Definition bound (b : box) (ls : live) prices shares : Z :=
  sum (fun c => prices c * threshold c) priced_conditions +
  sum (fun v => least (fun x => toll v x - sum (fun t => shares t v x) all_trees) (b v))
      all_variables +
  sum (fun t => least (leaf_gives b prices shares t) (ls t)) all_trees.

Definition thinned (b : box) (ls : live) prices shares : live := fun t =>
  filter (fun l => bound b ls prices shares - least (leaf_gives b prices shares t) (ls t)
                   + leaf_gives b prices shares t l <? limit) (ls t).

Inductive tree :=
| Closed (r : nat)
| Cut (v : nat) (first : nat -> bool) (one other : tree)
| Thinned (prices : nat -> Z) (shares : nat -> nat -> nat -> Z) (rest : tree).

Definition part (b : box) v (first : nat -> bool) : box := fun w =>
  if (w =? v)%nat then filter first (b w) else b w.

Fixpoint check (b : box) (ls : live) (c : tree) : bool :=
  match c with
  | Closed r => dead b ls || refuted ls r
  | Cut v first one other =>
      let side s d := check (part b v s) (refresh (part b v s) ls) d in
      side first one && side (fun x => negb (first x)) other
  | Thinned prices shares rest =>
      forallb (fun c => 0 <=? prices c) priced_conditions &&
      check b (thinned b ls prices shares) rest
  end.

(* --------------------------------------------------------------------------- why they are sound *)

(* A point that would refute the claim, with the leaves that it takes. *)
Section Point.
Variable p : nat -> nat.
Variable chosen : nat -> leaf.
Hypothesis takes_chosen : forall t, In t all_trees -> in_leaf p (chosen t).
Hypothesis outcome : has_outcome chosen.
Hypothesis is_better : better p.

Definition alive (ls : live) := forall t, In t all_trees -> In (chosen t) (ls t).

Lemma not_empty {A} (xs : list A) x : In x xs -> is_empty xs = false.
Proof. destruct xs; simpl; tauto. Qed.

Lemma nothing_empty {A} (f : nat -> list A) xs :
  (forall x, In x xs -> exists y, In y (f x)) -> existsb (fun x => is_empty (f x)) xs = false.
Proof.
  induction xs as [|x xs IH]; simpl; intros H; [reflexivity|].
  destruct (H x) as [y Hy]; [auto|]. rewrite (not_empty _ _ Hy). simpl. apply IH. auto.
Qed.

Lemma not_excluded b : in_box p b -> excluded b = false.
Proof.
  intros H. apply not_true_iff_false. intros E. exact (measure_is_right b p E H is_better).
Qed.

Lemma in_meet b l : in_box p b -> in_leaf p l -> in_box p (meet b l).
Proof. intros Hb Hl v Hv. apply filter_In. auto. Qed.

Lemma stays_live b l : in_box p b -> in_leaf p l -> is_live b l = true.
Proof.
  intros Hb Hl. pose proof (in_meet b l Hb Hl) as Hm. unfold is_live.
  rewrite (not_excluded _ Hm), nothing_empty; [reflexivity|].
  intros v Hv. exists (p v). auto.
Qed.

Lemma alive_refresh b ls : in_box p b -> alive ls -> alive (refresh b ls).
Proof. intros Hb Ha t Ht. apply filter_In. split; [auto|]. apply stays_live; auto. Qed.

Lemma not_dead b ls : in_box p b -> alive ls -> dead b ls = false.
Proof.
  intros Hb Ha. unfold dead. rewrite not_excluded by exact Hb.
  rewrite nothing_empty by (intros v Hv; exists (p v); auto).
  rewrite nothing_empty by (intros t Ht; exists (chosen t); auto). reflexivity.
Qed.

Lemma not_fails ls c : alive ls -> holds chosen c -> fails ls c = false.
Proof.
  intros Ha Hc. apply Z.ltb_ge. eapply Z.le_trans; [exact Hc|].
  apply sum_le. intros t Ht. apply (le_most (fun l => score l c)). auto.
Qed.

Lemma only_leaves ls ts :
  alive ls -> (forall t, In t ts -> In t all_trees) -> forallb (single ls) ts = true ->
  flat_map ls ts = map chosen ts.
Proof.
  intros Ha. induction ts as [|t ts IH]; simpl; intros I H; [reflexivity|].
  apply andb_true_iff in H. destruct H as [H1 H2]. rewrite IH by auto.
  assert (Hl : In (chosen t) (ls t)) by auto. unfold single in H1.
  destruct (ls t) as [|l [|]]; try discriminate. destruct Hl as [->|[]]. reflexivity.
Qed.

Lemma not_refuted ls r : alive ls -> refuted ls r = false.
Proof.
  intros Ha. unfold refuted. destruct (r <? requirements)%nat eqn:E; [|reflexivity]. simpl.
  apply Nat.ltb_lt in E.
  assert (M : meets r chosen) by (apply outcome; apply in_seq; lia).
  apply orb_false_iff. split.
  - destruct (needs_an_alternative r chosen M) as [conditions [I H]].
    apply not_true_iff_false. rewrite forallb_forall. intros F. specialize (F conditions I).
    apply existsb_exists in F. destruct F as [c [Hc F]]. rewrite not_fails in F; auto. discriminate.
  - destruct (forallb (single ls) (trees_of r)) eqn:S; [|reflexivity]. simpl.
    rewrite only_leaves; auto.
    + apply not_true_iff_false. intros C. exact (known_scores r chosen C M).
    + intros t Ht. apply filter_In in Ht. tauto.
Qed.

Lemma priced_holds c : In c priced_conditions -> holds chosen c.
Proof.
  unfold priced_conditions. rewrite in_flat_map. intros [r [Hr Hc]].
  destruct (needs_an_alternative r chosen (outcome r Hr)) as [conditions [I H]].
  destruct (alternatives r) as [|one [|]]; try contradiction.
  destruct I as [<-|[]]. auto.
Qed.

Section Dual.
Variable b : box.
Variable ls : live.
Variable prices : nat -> Z.
Variable shares : nat -> nat -> nat -> Z.
Hypothesis boxed : in_box p b.
Hypothesis living : alive ls.
Hypothesis priced : forall c, In c priced_conditions -> 0 <= prices c.

(* What the thresholds, the variables and the point's leaves give is at most the point's tolls. *)
Lemma point_pays :
  sum (fun c => prices c * threshold c) priced_conditions +
  sum (fun v => least (fun x => toll v x - sum (fun t => shares t v x) all_trees) (b v))
      all_variables +
  sum (fun t => leaf_gives b prices shares t (chosen t)) all_trees <= tolls_of p.
Proof.
  assert (V : sum (fun v => least (fun x => toll v x - sum (fun t => shares t v x) all_trees) (b v))
                  all_variables <=
              tolls_of p - sum (fun t => sum (fun v => shares t v (p v)) all_variables) all_trees).
  { rewrite sum_swap. unfold tolls_of. rewrite <- sum_minus. apply sum_le. intros v Hv.
    apply (least_le (fun x => toll v x - sum (fun t => shares t v x) all_trees)). auto. }
  assert (L : sum (fun t => leaf_gives b prices shares t (chosen t)) all_trees <=
              sum (fun t => sum (fun v => shares t v (p v)) all_variables) all_trees -
              sum (fun c => prices c * sum (fun t => score (chosen t) c) all_trees)
                  priced_conditions).
  { replace (sum (fun c => prices c * sum (fun t => score (chosen t) c) all_trees)
                 priced_conditions)
      with (sum (fun t => sum (fun c => prices c * score (chosen t) c) priced_conditions)
                all_trees).
    - rewrite <- sum_minus. apply sum_le. intros t Ht. unfold leaf_gives.
      assert (sum (fun v => least (shares t v) (meet b (chosen t) v)) all_variables <=
              sum (fun v => shares t v (p v)) all_variables); [|lia].
      apply sum_le. intros v Hv. apply least_le. apply in_meet; auto.
    - rewrite sum_swap. generalize priced_conditions. clear.
      induction l as [|c cs IH]; simpl; [reflexivity|].
      rewrite IH, sum_times. reflexivity. }
  assert (T : sum (fun c => prices c * threshold c) priced_conditions <=
              sum (fun c => prices c * sum (fun t => score (chosen t) c) all_trees)
                  priced_conditions).
  { apply sum_le. intros c Hc. apply Z.mul_le_mono_nonneg_l; [auto|]. exact (priced_holds c Hc). }
  lia.
Qed.

Lemma alive_thinned : alive (thinned b ls prices shares).
Proof.
  intros t Ht. apply filter_In. split; [auto|]. apply Z.ltb_lt.
  apply Z.le_lt_trans with (tolls_of p); [|exact (tolls_are_right p is_better)].
  pose proof point_pays as H. unfold bound.
  pose proof (sum_le_at (fun t => least (leaf_gives b prices shares t) (ls t))
                        (fun t => leaf_gives b prices shares t (chosen t)) all_trees t
                        (seq_NoDup _ _) Ht
                        (fun u Hu => least_le _ _ _ (living u Hu))) as S.
  simpl in S. lia.
Qed.

End Dual.

Lemma rejected c : forall b ls, in_box p b -> alive ls -> check b ls c = false.
Proof.
  induction c as [r|v first one IH1 other IH2|prices shares rest IH]; intros b ls Hb Ha; simpl.
  - rewrite not_dead, not_refuted by auto. reflexivity.
  - assert (Side : forall s, s (p v) = true -> in_box p (part b v s)).
    { intros s Hs w Hw. unfold part. destruct (w =? v)%nat eqn:E; [|auto].
      apply Nat.eqb_eq in E. subst w. apply filter_In. auto. }
    destruct (first (p v)) eqn:E.
    + rewrite IH1; [reflexivity|auto|apply alive_refresh; auto].
    + rewrite IH2; [apply andb_false_r| |apply alive_refresh; auto];
        apply Side; rewrite E; reflexivity.
  - destruct (forallb (fun c => 0 <=? prices c) priced_conditions) eqn:E; [|reflexivity]. simpl.
    apply IH; [exact Hb|]. apply alive_thinned; auto. intros c Hc.
    rewrite forallb_forall in E. apply Z.leb_le. auto.
Qed.

End Point.

(* If [check] accepts, no point of the whole box with the outcome is better than the claim. *)
Theorem certificate_is_sound (whole : box) (leaves : live) (c : tree) :
  check whole (refresh whole leaves) c = true ->
  forall p chosen,
    in_box p whole ->
    (forall t, In t all_trees -> In (chosen t) (leaves t) /\ in_leaf p (chosen t)) ->
    has_outcome chosen ->
    ~ better p.
Proof.
  intros Accepted p chosen Hb Hc Ho Better.
  assert (Takes : forall t, In t all_trees -> in_leaf p (chosen t)) by (intros; apply Hc; auto).
  rewrite (rejected p chosen Takes Ho Better c) in Accepted; [discriminate|exact Hb|].
  apply (alive_refresh p chosen Takes Better); [exact Hb|]. intros t Ht. apply Hc; auto.
Qed.

End Certificate.

(* Costs that are whole numbers are their own tolls; the least costs of a box are its measure. *)
Lemma sums_are_right variables (cost : nat -> nat -> Z) claim (b : box) p :
  (claim <=? sum (fun v => least (cost v) (b v)) (all_variables variables)) = true ->
  in_box variables p b ->
  ~ tolls_of variables cost p < claim.
Proof.
  intros E H. apply Z.leb_le in E. apply Z.le_ngt. eapply Z.le_trans; [exact E|].
  apply sum_le. intros v Hv. apply least_le. auto.
Qed.

Print Assumptions certificate_is_sound.
